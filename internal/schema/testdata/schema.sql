-- database
CREATE DATABASE IF NOT EXISTS trackway;

-- schema_lock
CREATE TABLE IF NOT EXISTS trackway.schema_lock (
  name LowCardinality(String),
  generation UInt64,
  owner String,
  released UInt8,
  at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(at)
ORDER BY (name, generation)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- requests
CREATE TABLE IF NOT EXISTS trackway.requests (
  project LowCardinality(String),
  ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
  rid UInt64,
  kind LowCardinality(String),
  service LowCardinality(String),
  env LowCardinality(String),
  release LowCardinality(String),
  instance String CODEC(ZSTD(1)),
  name LowCardinality(String),
  method LowCardinality(String),
  route LowCardinality(String),
  path String CODEC(ZSTD(1)),
  status UInt16,
  span_status LowCardinality(String),
  duration UInt64 CODEC(T64, ZSTD(1)),
  duration_ms Float32 ALIAS toFloat32(duration / 1e6),
  trace_id FixedString(16),
  span_id FixedString(8),
  parent_span_id FixedString(8),
  trace_state String CODEC(ZSTD(1)),
  flags UInt32,
  request_id String CODEC(ZSTD(1)),
  user_agent LowCardinality(String),
  client_ip String CODEC(ZSTD(1)),
  request_bytes UInt64 CODEC(T64, ZSTD(1)),
  response_bytes UInt64 CODEC(T64, ZSTD(1)),
  error_type LowCardinality(String),
  error_message String CODEC(ZSTD(1)),
  error_stack String CODEC(ZSTD(3)),
  error_group UInt64,
  attributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  resource Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  correlation Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  request_headers Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  response_headers Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  request_body String CODEC(ZSTD(3)),
  response_body String CODEC(ZSTD(3)),
  facet_items Array(LowCardinality(String)) CODEC(ZSTD(1)),
  scope_name LowCardinality(String),
  scope_version LowCardinality(String),
  links String CODEC(ZSTD(1)),
  marks LowCardinality(String),
  weight UInt32 DEFAULT 256,
  ttl_days UInt16,
  rollup_ttl_days UInt16 DEFAULT 400,
  unit UInt64,
  INDEX ix_facet facet_items TYPE text(tokenizer = 'array') GRANULARITY 100000000,
  INDEX ix_dur duration TYPE minmax GRANULARITY 1,
  INDEX ix_st status TYPE set(16) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toDate(ts)
ORDER BY (project, ts)
TTL toDateTime(ts) + toIntervalDay(ttl_days)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 134217728;

-- spans
CREATE TABLE IF NOT EXISTS trackway.spans (
  project LowCardinality(String),
  ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
  rid UInt64,
  kind LowCardinality(String),
  service LowCardinality(String),
  env LowCardinality(String),
  release LowCardinality(String),
  instance String CODEC(ZSTD(1)),
  name LowCardinality(String),
  status UInt16,
  span_status LowCardinality(String),
  duration UInt64 CODEC(T64, ZSTD(1)),
  duration_ms Float32 ALIAS toFloat32(duration / 1e6),
  trace_id FixedString(16),
  span_id FixedString(8),
  parent_span_id FixedString(8),
  trace_state String CODEC(ZSTD(1)),
  flags UInt32,
  request_id String CODEC(ZSTD(1)),
  user_agent LowCardinality(String),
  client_ip String CODEC(ZSTD(1)),
  request_bytes UInt64 CODEC(T64, ZSTD(1)),
  response_bytes UInt64 CODEC(T64, ZSTD(1)),
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
  links String CODEC(ZSTD(1)),
  marks LowCardinality(String),
  weight UInt32 DEFAULT 256,
  ttl_days UInt16,
  unit UInt64,
  INDEX ix_facet facet_items TYPE text(tokenizer = 'array') GRANULARITY 100000000,
  INDEX ix_dur duration TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toDate(ts)
ORDER BY (project, ts)
TTL toDateTime(ts) + toIntervalDay(ttl_days)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 134217728;

-- events
CREATE TABLE IF NOT EXISTS trackway.events (
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
  INDEX ix_facet facet_items TYPE text(tokenizer = 'array') GRANULARITY 100000000,
  INDEX ix_sev severity TYPE set(16) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toDate(ts)
ORDER BY (project, ts)
TTL toDateTime(ts) + toIntervalDay(ttl_days)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 134217728;

-- journey
CREATE TABLE IF NOT EXISTS trackway.journey (
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
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 134217728;

-- trace_index
CREATE TABLE IF NOT EXISTS trackway.trace_index (
  project LowCardinality(String),
  h UInt32 CODEC(Delta, ZSTD(1)),
  minute DateTime('UTC') CODEC(Delta, ZSTD(1)),
  ttl_days UInt16
)
ENGINE = MergeTree
PARTITION BY toDate(minute)
ORDER BY (project, h, minute)
TTL minute + toIntervalDay(ttl_days)
SETTINGS index_granularity = 2048, non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 134217728;

-- lat_m
CREATE TABLE IF NOT EXISTS trackway.lat_m (
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
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- lat_q
CREATE TABLE IF NOT EXISTS trackway.lat_q (
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
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- lat_h
CREATE TABLE IF NOT EXISTS trackway.lat_h (
  project LowCardinality(String),
  hour DateTime('UTC') CODEC(Delta, ZSTD(1)),
  service LowCardinality(String),
  route LowCardinality(String),
  method LowCardinality(String),
  b UInt8 CODEC(Delta, ZSTD(1)),
  cnt SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  weight SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  ttl_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(hour)
ORDER BY (project, hour, service, route, method, b)
TTL hour + toIntervalDay(ttl_days)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- cnt_m
CREATE TABLE IF NOT EXISTS trackway.cnt_m (
  project LowCardinality(String),
  minute DateTime('UTC') CODEC(Delta, ZSTD(1)),
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
PARTITION BY toDate(minute)
ORDER BY (project, minute, service, route, method, status)
TTL minute + toIntervalDay(ttl_days)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- cnt_h
CREATE TABLE IF NOT EXISTS trackway.cnt_h (
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
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- facets
CREATE TABLE IF NOT EXISTS trackway.facets (
  project LowCardinality(String),
  hour DateTime('UTC') CODEC(Delta, ZSTD(1)),
  field LowCardinality(String),
  value String CODEC(ZSTD(1)),
  cnt SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  weight SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  ttl_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(hour)
ORDER BY (project, field, hour, value)
TTL hour + toIntervalDay(ttl_days)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- trace_keys
CREATE VIEW IF NOT EXISTS trackway.trace_keys AS
SELECT
  project,
  key,
  value,
  trace_id,
  min(journey.ts) AS ts
FROM trackway.journey
WHERE trace_id != toFixedString('', 16)
GROUP BY project, key, value, trace_id;

-- delivery_ledger
CREATE TABLE IF NOT EXISTS trackway.delivery_ledger (
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
  ttl_days UInt16 DEFAULT 400
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(minute)
ORDER BY (project, minute, source, generation)
TTL minute + toIntervalDay(ttl_days)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- dropped_partitions
CREATE TABLE IF NOT EXISTS trackway.dropped_partitions (
  at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
  table LowCardinality(String),
  partition String,
  last_day Date,
  rows UInt64,
  bytes UInt64,
  budget UInt64,
  used UInt64,
  ttl_days UInt16 DEFAULT 400
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY at
TTL toDateTime(at) + toIntervalDay(ttl_days)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- schema_version
CREATE TABLE IF NOT EXISTS trackway.schema_version (
  version UInt32,
  applied DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
  name String,
  checksum String
)
ENGINE = ReplacingMergeTree
ORDER BY version
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- schema_version_insert
INSERT INTO trackway.schema_version (version, name, checksum)
SELECT step.1, step.2, step.3
FROM (SELECT arrayJoin([(1, 'baseline', ''), (2, 'record steps', '6e41efccd2ba5ab8'), (3, 'delivery ledger', 'dcdeb4103a313022'), (4, 'dropped partitions', '4a9b13de7200618b'), (5, 'derive in the collector', '7f6db32c8fe8205c')]) AS step)
WHERE step.1 NOT IN (SELECT version FROM trackway.schema_version);

