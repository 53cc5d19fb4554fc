CREATE MATERIALIZED VIEW IF NOT EXISTS {{.DB}}.v_cnt_h TO {{.DB}}.cnt_h AS
SELECT
  project,
  toStartOfHour(minute) AS hour,
  service,
  route,
  method,
  status,
  sum(cnt_m.cnt) AS cnt,
  sum(cnt_m.weight) AS weight,
  sum(cnt_m.bytes) AS bytes,
  sum(cnt_m.dur_ns) AS dur_ns,
  max(cnt_m.ttl_days) AS ttl_days
FROM {{.DB}}.cnt_m
GROUP BY project, hour, service, route, method, status
