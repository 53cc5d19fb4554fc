CREATE TABLE IF NOT EXISTS {{.DB}}.events (
  project LowCardinality(String),
  ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
  rid UInt64,
  service LowCardinality(String),
  env LowCardinality(String),
  release LowCardinality(String),
  instance String CODEC(ZSTD(1)),
  name LowCardinality(String),
  severity UInt8,
  message String CODEC(ZSTD(1)),
  trace_id FixedString(16),
  span_id FixedString(8),
  flags UInt32,
  error_type LowCardinality(String),
  error_message String CODEC(ZSTD(1)),
  error_stack String CODEC(ZSTD(3)),
  error_group UInt64,
  attributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  resource Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  correlation Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  facet_items Array(LowCardinality(String)) CODEC(ZSTD(1)),
  scope_name LowCardinality(String),
  scope_version LowCardinality(String),
  marks LowCardinality(String),
  weight UInt32 DEFAULT 256,
  ttl_days UInt16,
  unit UInt64,
  INDEX ix_facet facet_items TYPE {{.FacetIndex}},
  INDEX ix_sev severity TYPE set(16) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toDate(ts)
ORDER BY (project, ts)
TTL toDateTime(ts) + toIntervalDay(ttl_days)
SETTINGS {{.Durable}}, {{.Compact}}
