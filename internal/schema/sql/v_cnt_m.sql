CREATE MATERIALIZED VIEW IF NOT EXISTS {{.DB}}.v_cnt_m TO {{.DB}}.cnt_m AS
SELECT
  project,
  toStartOfMinute(toDateTime(ts, 'UTC')) AS minute,
  service,
  route,
  method,
  status,
  toUInt64(count()) AS cnt,
  sum(toUInt64(requests.weight)) AS weight,
  sum(request_bytes + response_bytes) AS bytes,
  sum(duration) AS dur_ns,
  max(rollup_ttl_days) AS ttl_days
FROM {{.DB}}.requests
GROUP BY project, minute, service, route, method, status
