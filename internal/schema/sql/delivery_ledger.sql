CREATE TABLE IF NOT EXISTS {{.DB}}.delivery_ledger (
  project LowCardinality(String),
  minute DateTime('UTC') CODEC(Delta, ZSTD(1)),
  source UInt64,
  generation UInt64,
  version UInt64,
  received Int64 CODEC(T64, ZSTD(1)),
  rejected Int64 CODEC(T64, ZSTD(1)),
  accepted Int64 ALIAS received - rejected,
  stored Int64 CODEC(T64, ZSTD(1)),
  dead_letter Int64 CODEC(T64, ZSTD(1)),
  dropped Map(LowCardinality(String), Int64) CODEC(ZSTD(1)),
  dropped_items Int64 ALIAS arraySum(mapValues(dropped)),
  removed Int64 CODEC(T64, ZSTD(1)),
  pending Int64 ALIAS received - rejected - stored - dead_letter - arraySum(mapValues(dropped)) - removed,
  request_rows Int64 CODEC(T64, ZSTD(1)),
  span_rows Int64 CODEC(T64, ZSTD(1)),
  event_rows Int64 CODEC(T64, ZSTD(1)),
  ttl_days UInt16 DEFAULT {{.RollupTTLDays}}
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(minute)
ORDER BY (project, minute, source, generation)
TTL minute + toIntervalDay(ttl_days)
SETTINGS {{.Durable}}
