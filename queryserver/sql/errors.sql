SELECT error_group, any(kind) AS error_kind, any(at_service) AS in_service, any(at_route) AS on_route, sum(n) AS total, sum(w) AS weights, min(since) AS first, max(until) AS last, argMax(newest, until) AS sample,
  groupArray(rel) AS releases, groupArray(since) AS sinces, groupArray(until) AS untils, groupArray(c) AS columns, groupArray(n) AS counts
FROM (
  WITH toDateTime(ts, 'UTC') AS t
  SELECT error_group, toString(release) AS rel, toUInt32({{.Column}}) AS c, any(toString(error_type)) AS kind, any(toString(service)) AS at_service, any({{.Route}}) AS at_route,
    count() AS n, sum(toUInt64({{.Table}}.weight)) AS w, min(ts) AS since, max(ts) AS until, argMax(rid, ts) AS newest
  FROM {{.Table}}
  WHERE project = {project:String}
    AND ts >= {{.From}}
    AND ts < {{.To}}
    AND {{.Group}}{{.Where}}
  GROUP BY error_group, rel, c
)
GROUP BY error_group
ORDER BY {{.Order}}, error_group
LIMIT {{.Limit}}
