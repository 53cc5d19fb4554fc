CREATE TABLE IF NOT EXISTS {{.DB}}.schema_version (
  version UInt32,
  applied DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
  name String,
  checksum String
)
ENGINE = ReplacingMergeTree
ORDER BY version
SETTINGS {{.Durable}}
