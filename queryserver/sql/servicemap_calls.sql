SELECT caller, callee, sum(n) AS total, sum(bad) AS errors, groupArray(b) AS buckets, groupArray(n) AS counts
FROM (
  SELECT p.service AS caller, c.service AS callee, c.b AS b, count() AS n, countIf(c.bad) AS bad
  FROM (
    SELECT service, trace_id, parent_span_id, {{template "bucket.sql"}} AS b, status >= 500 OR span_status = 'error' AS bad
    FROM requests
    WHERE project = {project:String}{{.Sample}}
      AND parent_span_id != toFixedString('', 8)
      AND NOT (kind = 'messaging' AND (mapContains(attributes, 'messaging.destination.name') OR mapContains(attributes, 'messaging.destination')))
  ) AS c
  INNER JOIN (
{{range $i, $table := .Tables}}{{if $i}}
    UNION ALL
{{end}}    SELECT toString(service) AS service, trace_id, span_id
    FROM {{$table}}
    WHERE project = {project:String}
      AND ts >= {{$.From}}
      AND ts < {{$.To}}
      AND indexHint({{$.Callers}}){{end}}
  ) AS p ON c.trace_id = p.trace_id AND c.parent_span_id = p.span_id
  WHERE p.service != c.service
  GROUP BY caller, callee, b
)
GROUP BY caller, callee
ORDER BY total DESC, caller, callee
LIMIT {{.Limit}}
