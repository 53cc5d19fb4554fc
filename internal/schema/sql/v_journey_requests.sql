CREATE MATERIALIZED VIEW IF NOT EXISTS {{.DB}}.v_journey_requests TO {{.DB}}.journey AS
SELECT project, kv.1 AS key, kv.2 AS value, ts, kind, rid, service, name, status, duration_ms, ttl_days, unit
FROM (
  SELECT
    project,
    arrayJoin(correlation::Array(Tuple(String, String))) AS kv,
    ts,
    'request' AS kind,
    rid,
    service,
    if(route = '', requests.name, if(method = '', route, concat(method, ' ', route))) AS name,
    status,
    toFloat32(duration / 1e6) AS duration_ms,
    ttl_days,
    unit
  FROM {{.DB}}.requests
)
