CREATE TABLE IF NOT EXISTS {{.DB}}.facets (
  project LowCardinality(String),
  hour DateTime('UTC') CODEC(Delta, ZSTD(1)),
  field LowCardinality(String),
  value String CODEC(ZSTD(1)),
  cnt SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  weight SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  ttl_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(hour)
ORDER BY (project, field, hour, value)
TTL hour + toIntervalDay(ttl_days)
SETTINGS {{.Durable}}
