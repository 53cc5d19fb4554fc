CREATE TABLE IF NOT EXISTS {{.DB}}.schema_lock (
  name LowCardinality(String),
  generation UInt64,
  owner String,
  released UInt8,
  at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(at)
ORDER BY (name, generation)
SETTINGS {{.Durable}}
