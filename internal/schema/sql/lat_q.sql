CREATE TABLE IF NOT EXISTS {{.DB}}.lat_q (
  project LowCardinality(String),
  quarter DateTime('UTC') CODEC(Delta, ZSTD(1)),
  service LowCardinality(String),
  route LowCardinality(String),
  method LowCardinality(String),
  b UInt8 CODEC(Delta, ZSTD(1)),
  cnt SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  weight SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  ttl_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toDate(quarter)
ORDER BY (project, quarter, service, route, method, b)
TTL quarter + toIntervalDay(ttl_days)
SETTINGS {{.Durable}}
