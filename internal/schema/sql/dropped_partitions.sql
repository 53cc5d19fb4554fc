CREATE TABLE IF NOT EXISTS {{.DB}}.dropped_partitions (
  at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
  table LowCardinality(String),
  partition String,
  last_day Date,
  rows UInt64,
  bytes UInt64,
  budget UInt64,
  used UInt64,
  ttl_days UInt16 DEFAULT {{.RollupTTLDays}}
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY at
TTL toDateTime(at) + toIntervalDay(ttl_days)
SETTINGS {{.Durable}}
