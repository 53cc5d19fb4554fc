CREATE MATERIALIZED VIEW IF NOT EXISTS {{.DB}}.v_lat_q TO {{.DB}}.lat_q AS
SELECT
  project,
  toStartOfFifteenMinutes(minute) AS quarter,
  service,
  route,
  method,
  b,
  sum(lat_m.cnt) AS cnt,
  sum(lat_m.weight) AS weight,
  max(lat_m.ttl_days) AS ttl_days
FROM {{.DB}}.lat_m
GROUP BY project, quarter, service, route, method, b
