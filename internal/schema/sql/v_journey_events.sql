CREATE MATERIALIZED VIEW IF NOT EXISTS {{.DB}}.v_journey_events TO {{.DB}}.journey AS
SELECT project, kv.1 AS key, kv.2 AS value, ts, kind, rid, service, name, status, duration_ms, ttl_days, unit
FROM (
  SELECT
    project,
    arrayJoin(correlation::Array(Tuple(String, String))) AS kv,
    ts,
    'event' AS kind,
    rid,
    service,
    name,
    toUInt16(0) AS status,
    toFloat32(0) AS duration_ms,
    ttl_days,
    unit
  FROM {{.DB}}.events
)
