CREATE TABLE IF NOT EXISTS {{.DB}}.cnt_h (
  project LowCardinality(String),
  hour DateTime('UTC') CODEC(Delta, ZSTD(1)),
  service LowCardinality(String),
  route LowCardinality(String),
  method LowCardinality(String),
  status UInt16 CODEC(Delta, ZSTD(1)),
  cnt SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  weight SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  bytes SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  dur_ns SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  ttl_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(hour)
ORDER BY (project, hour, service, route, method, status)
TTL hour + toIntervalDay(ttl_days)
SETTINGS {{.Durable}}
