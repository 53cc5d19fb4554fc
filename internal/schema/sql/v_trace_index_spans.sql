CREATE MATERIALIZED VIEW IF NOT EXISTS {{.DB}}.v_trace_index_spans TO {{.DB}}.trace_index AS
SELECT
  project,
  reinterpretAsUInt32(trace_id) AS h,
  toStartOfMinute(toDateTime(ts, 'UTC')) AS minute,
  max(spans.ttl_days) AS ttl_days
FROM {{.DB}}.spans
WHERE trace_id != toFixedString('', 16)
GROUP BY project, h, minute
