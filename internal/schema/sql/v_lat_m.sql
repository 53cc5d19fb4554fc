CREATE MATERIALIZED VIEW IF NOT EXISTS {{.DB}}.v_lat_m TO {{.DB}}.lat_m AS
SELECT project, minute, service, route, method, toUInt8(bucket) AS b, cnt, weight, ttl_days
FROM (
  SELECT
    project,
    toStartOfMinute(toDateTime(ts, 'UTC')) AS minute,
    service,
    route,
    method,
    max(rollup_ttl_days) AS ttl_days,
    sumMap(
      [toUInt16(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), {{.BucketLow}}), {{.BucketHigh}}) - {{.BucketLow}})],
      [toUInt64(1)],
      [toUInt64(requests.weight)]
    ) AS h
  FROM {{.DB}}.requests
  GROUP BY project, minute, service, route, method
)
ARRAY JOIN h.1 AS bucket, h.2 AS cnt, h.3 AS weight
