CREATE MATERIALIZED VIEW IF NOT EXISTS {{.DB}}.v_facets TO {{.DB}}.facets AS
SELECT
  project,
  hour,
  substring(item, 1, toUInt64(position(item, '=')) - 1) AS field,
  substring(item, toUInt64(position(item, '=')) + 1) AS value,
  cnt,
  weight,
  ttl_days
FROM (
  SELECT
    project,
    toStartOfHour(toDateTime(ts, 'UTC')) AS hour,
    arrayJoin(facet_items) AS item,
    toUInt64(count()) AS cnt,
    sum(toUInt64(requests.weight)) AS weight,
    max(rollup_ttl_days) AS ttl_days
  FROM {{.DB}}.requests
  GROUP BY project, hour, item
)
WHERE position(item, '=') > 1
