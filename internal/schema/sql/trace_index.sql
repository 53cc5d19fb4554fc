CREATE TABLE IF NOT EXISTS {{.DB}}.trace_index (
  project LowCardinality(String),
  h UInt32 CODEC(Delta, ZSTD(1)),
  minute DateTime('UTC') CODEC(Delta, ZSTD(1)),
  ttl_days UInt16
)
ENGINE = MergeTree
PARTITION BY toDate(minute)
ORDER BY (project, h, minute)
TTL minute + toIntervalDay(ttl_days)
SETTINGS index_granularity = 2048, {{.Durable}}, {{.Compact}}
