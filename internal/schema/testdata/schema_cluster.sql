-- database
CREATE DATABASE IF NOT EXISTS trackway_local ON CLUSTER 'main';

-- database
CREATE DATABASE IF NOT EXISTS trackway ON CLUSTER 'main';

-- schema_lock
CREATE TABLE IF NOT EXISTS trackway.schema_lock ON CLUSTER 'main' (
  name LowCardinality(String),
  generation UInt64,
  owner String,
  released UInt8,
  at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/all', '{shard}-{replica}', at)
ORDER BY (name, generation)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1;

-- requests
CREATE TABLE IF NOT EXISTS trackway_local.requests ON CLUSTER 'main' (
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toDate(ts)
ORDER BY (project, ts)
TTL toDateTime(ts) + toIntervalDay(ttl_days)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 134217728;

-- requests_distributed
CREATE OR REPLACE TABLE trackway.requests ON CLUSTER 'main' AS trackway_local.requests
ENGINE = Distributed('main', 'trackway_local', 'requests', if(trace_id = toFixedString('', 16), rid, reinterpretAsUInt32(trace_id)));

-- spans
CREATE TABLE IF NOT EXISTS trackway_local.spans ON CLUSTER 'main' (
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toDate(ts)
ORDER BY (project, ts)
TTL toDateTime(ts) + toIntervalDay(ttl_days)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 134217728;

-- spans_distributed
CREATE OR REPLACE TABLE trackway.spans ON CLUSTER 'main' AS trackway_local.spans
ENGINE = Distributed('main', 'trackway_local', 'spans', if(trace_id = toFixedString('', 16), rid, reinterpretAsUInt32(trace_id)));

-- events
CREATE TABLE IF NOT EXISTS trackway_local.events ON CLUSTER 'main' (
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toDate(ts)
ORDER BY (project, ts)
TTL toDateTime(ts) + toIntervalDay(ttl_days)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 134217728;

-- events_distributed
CREATE OR REPLACE TABLE trackway.events ON CLUSTER 'main' AS trackway_local.events
ENGINE = Distributed('main', 'trackway_local', 'events', if(trace_id = toFixedString('', 16), rid, reinterpretAsUInt32(trace_id)));

-- journey
CREATE TABLE IF NOT EXISTS trackway_local.journey ON CLUSTER 'main' (
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toMonday(ts)
ORDER BY (project, key, value, ts)
TTL toDateTime(ts) + toIntervalDay(ttl_days)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 134217728;

-- journey_distributed
CREATE OR REPLACE TABLE trackway.journey ON CLUSTER 'main' AS trackway_local.journey
ENGINE = Distributed('main', 'trackway_local', 'journey', if(trace_id = toFixedString('', 16), rid, reinterpretAsUInt32(trace_id)));

-- trace_index
CREATE TABLE IF NOT EXISTS trackway_local.trace_index ON CLUSTER 'main' (
  project LowCardinality(String),
  h UInt32 CODEC(Delta, ZSTD(1)),
  minute DateTime('UTC') CODEC(Delta, ZSTD(1)),
  ttl_days UInt16
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toDate(minute)
ORDER BY (project, h, minute)
TTL minute + toIntervalDay(ttl_days)
SETTINGS index_granularity = 2048, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 134217728;

-- trace_index_distributed
CREATE OR REPLACE TABLE trackway.trace_index ON CLUSTER 'main' AS trackway_local.trace_index
ENGINE = Distributed('main', 'trackway_local', 'trace_index', h);

-- lat_m
CREATE TABLE IF NOT EXISTS trackway_local.lat_m ON CLUSTER 'main' (
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
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toDate(minute)
ORDER BY (project, minute, service, route, method, b)
TTL minute + toIntervalDay(ttl_days)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1;

-- lat_m_distributed
CREATE OR REPLACE TABLE trackway.lat_m ON CLUSTER 'main' AS trackway_local.lat_m
ENGINE = Distributed('main', 'trackway_local', 'lat_m', cityHash64(project, service, route));

-- lat_q
CREATE TABLE IF NOT EXISTS trackway_local.lat_q ON CLUSTER 'main' (
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
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toDate(quarter)
ORDER BY (project, quarter, service, route, method, b)
TTL quarter + toIntervalDay(ttl_days)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1;

-- lat_q_distributed
CREATE OR REPLACE TABLE trackway.lat_q ON CLUSTER 'main' AS trackway_local.lat_q
ENGINE = Distributed('main', 'trackway_local', 'lat_q', cityHash64(project, service, route));

-- lat_h
CREATE TABLE IF NOT EXISTS trackway_local.lat_h ON CLUSTER 'main' (
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
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(hour)
ORDER BY (project, hour, service, route, method, b)
TTL hour + toIntervalDay(ttl_days)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1;

-- lat_h_distributed
CREATE OR REPLACE TABLE trackway.lat_h ON CLUSTER 'main' AS trackway_local.lat_h
ENGINE = Distributed('main', 'trackway_local', 'lat_h', cityHash64(project, service, route));

-- cnt_m
CREATE TABLE IF NOT EXISTS trackway_local.cnt_m ON CLUSTER 'main' (
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
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toDate(minute)
ORDER BY (project, minute, service, route, method, status)
TTL minute + toIntervalDay(ttl_days)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1;

-- cnt_m_distributed
CREATE OR REPLACE TABLE trackway.cnt_m ON CLUSTER 'main' AS trackway_local.cnt_m
ENGINE = Distributed('main', 'trackway_local', 'cnt_m', cityHash64(project, service, route));

-- cnt_h
CREATE TABLE IF NOT EXISTS trackway_local.cnt_h ON CLUSTER 'main' (
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
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(hour)
ORDER BY (project, hour, service, route, method, status)
TTL hour + toIntervalDay(ttl_days)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1;

-- cnt_h_distributed
CREATE OR REPLACE TABLE trackway.cnt_h ON CLUSTER 'main' AS trackway_local.cnt_h
ENGINE = Distributed('main', 'trackway_local', 'cnt_h', cityHash64(project, service, route));

-- facets
CREATE TABLE IF NOT EXISTS trackway_local.facets ON CLUSTER 'main' (
  project LowCardinality(String),
  hour DateTime('UTC') CODEC(Delta, ZSTD(1)),
  field LowCardinality(String),
  value String CODEC(ZSTD(1)),
  cnt SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  weight SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
  ttl_days SimpleAggregateFunction(max, UInt16)
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(hour)
ORDER BY (project, field, hour, value)
TTL hour + toIntervalDay(ttl_days)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1;

-- facets_distributed
CREATE OR REPLACE TABLE trackway.facets ON CLUSTER 'main' AS trackway_local.facets
ENGINE = Distributed('main', 'trackway_local', 'facets', cityHash64(project, field, value));

-- trace_keys
CREATE VIEW IF NOT EXISTS trackway.trace_keys ON CLUSTER 'main' AS
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
CREATE TABLE IF NOT EXISTS trackway_local.delivery_ledger ON CLUSTER 'main' (
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
PARTITION BY toYYYYMM(minute)
ORDER BY (project, minute, source, generation)
TTL minute + toIntervalDay(ttl_days)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1;

-- delivery_ledger_distributed
CREATE OR REPLACE TABLE trackway.delivery_ledger ON CLUSTER 'main' AS trackway_local.delivery_ledger
ENGINE = Distributed('main', 'trackway_local', 'delivery_ledger', cityHash64(project));

-- dropped_partitions
CREATE TABLE IF NOT EXISTS trackway_local.dropped_partitions ON CLUSTER 'main' (
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(at)
ORDER BY at
TTL toDateTime(at) + toIntervalDay(ttl_days)
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1;

-- dropped_partitions_distributed
CREATE OR REPLACE TABLE trackway.dropped_partitions ON CLUSTER 'main' AS trackway_local.dropped_partitions
ENGINE = Distributed('main', 'trackway_local', 'dropped_partitions', cityHash64(table, partition));

-- schema_version
CREATE TABLE IF NOT EXISTS trackway.schema_version ON CLUSTER 'main' (
  version UInt32,
  applied DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
  name String,
  checksum String
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/all', '{shard}-{replica}')
ORDER BY version
SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1;

-- schema_version_insert
INSERT INTO trackway.schema_version (version, name, checksum)
SELECT step.1, step.2, step.3
FROM (SELECT arrayJoin([(1, 'baseline', ''), (2, 'record steps', '6e41efccd2ba5ab8'), (3, 'delivery ledger', 'dcdeb4103a313022'), (4, 'dropped partitions', '4a9b13de7200618b'), (5, 'derive in the collector', '7f6db32c8fe8205c')]) AS step)
WHERE step.1 NOT IN (SELECT version FROM trackway.schema_version);

