CREATE TABLE IF NOT EXISTS {{.DB}}.journey (
  project LowCardinality(String),
  key LowCardinality(String),
  value String CODEC(ZSTD(1)),
  ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
  kind LowCardinality(String),
  rid UInt64,
  service LowCardinality(String),
  name LowCardinality(String),
  status UInt16 CODEC(ZSTD(1)),
  duration_ms Float32 CODEC(ZSTD(1)),
  ttl_days UInt16,
  unit UInt64,
  trace_id FixedString(16)
)
ENGINE = MergeTree
PARTITION BY toMonday(ts)
ORDER BY (project, key, value, ts)
TTL toDateTime(ts) + toIntervalDay(ttl_days)
SETTINGS {{.Durable}}, {{.Compact}}
