CREATE MATERIALIZED VIEW IF NOT EXISTS {{.DB}}.v_lat_h TO {{.DB}}.lat_h AS
SELECT
  project,
  toStartOfHour(minute) AS hour,
  service,
  route,
  method,
  b,
  sum(lat_m.cnt) AS cnt,
  sum(lat_m.weight) AS weight,
  max(lat_m.ttl_days) AS ttl_days
FROM {{.DB}}.lat_m
GROUP BY project, hour, service, route, method, b
