CREATE TABLE IF NOT EXISTS {{.DB}}.lat_m (
  project LowCardinality(String),
  minute DateTime('UTC') CODEC(Delta, ZSTD(1)),
  service LowCardinality(String),
  route LowCardinality(String),
  method LowCardinality(String),
  b UInt8 CODEC(Delta, ZSTD(1)),
  cnt SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  weight SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  ttl_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toDate(minute)
ORDER BY (project, minute, service, route, method, b)
TTL minute + toIntervalDay(ttl_days)
SETTINGS {{.Durable}}
