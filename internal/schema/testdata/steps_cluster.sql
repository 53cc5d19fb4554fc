-- step record steps, 6e41efccd2ba5ab8
ALTER TABLE trackway.schema_version ON CLUSTER 'main'
  ADD COLUMN IF NOT EXISTS name String,
  ADD COLUMN IF NOT EXISTS checksum String;

INSERT INTO trackway.schema_version (version, name, checksum)
SELECT step.1, step.2, step.3
FROM (SELECT arrayJoin([(2, 'record steps', '6e41efccd2ba5ab8')]) AS step)
WHERE step.1 NOT IN (SELECT version FROM trackway.schema_version);

-- step delivery ledger, dcdeb4103a313022
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

CREATE OR REPLACE TABLE trackway.delivery_ledger ON CLUSTER 'main' AS trackway_local.delivery_ledger
ENGINE = Distributed('main', 'trackway_local', 'delivery_ledger', cityHash64(project));

INSERT INTO trackway.schema_version (version, name, checksum)
SELECT step.1, step.2, step.3
FROM (SELECT arrayJoin([(3, 'delivery ledger', 'dcdeb4103a313022')]) AS step)
WHERE step.1 NOT IN (SELECT version FROM trackway.schema_version);

-- step dropped partitions, 4a9b13de7200618b
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

CREATE OR REPLACE TABLE trackway.dropped_partitions ON CLUSTER 'main' AS trackway_local.dropped_partitions
ENGINE = Distributed('main', 'trackway_local', 'dropped_partitions', cityHash64(table, partition));

INSERT INTO trackway.schema_version (version, name, checksum)
SELECT step.1, step.2, step.3
FROM (SELECT arrayJoin([(4, 'dropped partitions', '4a9b13de7200618b')]) AS step)
WHERE step.1 NOT IN (SELECT version FROM trackway.schema_version);

-- step derive in the collector, 7f6db32c8fe8205c
DROP VIEW IF EXISTS trackway_local.v_lat_q ON CLUSTER 'main';

DROP VIEW IF EXISTS trackway_local.v_lat_h ON CLUSTER 'main';

DROP VIEW IF EXISTS trackway_local.v_cnt_h ON CLUSTER 'main';

DROP VIEW IF EXISTS trackway_local.v_lat_m ON CLUSTER 'main';

DROP VIEW IF EXISTS trackway_local.v_cnt_m ON CLUSTER 'main';

DROP VIEW IF EXISTS trackway_local.v_facets ON CLUSTER 'main';

DROP VIEW IF EXISTS trackway_local.v_journey_requests ON CLUSTER 'main';

DROP VIEW IF EXISTS trackway_local.v_journey_spans ON CLUSTER 'main';

DROP VIEW IF EXISTS trackway_local.v_journey_events ON CLUSTER 'main';

DROP VIEW IF EXISTS trackway_local.v_trace_index_requests ON CLUSTER 'main';

DROP VIEW IF EXISTS trackway_local.v_trace_index_spans ON CLUSTER 'main';

DROP VIEW IF EXISTS trackway_local.v_trace_index_events ON CLUSTER 'main';

ALTER TABLE trackway_local.requests ON CLUSTER 'main' DROP INDEX IF EXISTS ix_corr, DROP COLUMN IF EXISTS corr_items;

ALTER TABLE trackway_local.spans ON CLUSTER 'main' DROP INDEX IF EXISTS ix_corr, DROP COLUMN IF EXISTS corr_items;

ALTER TABLE trackway_local.events ON CLUSTER 'main' DROP INDEX IF EXISTS ix_corr, DROP COLUMN IF EXISTS corr_items;

ALTER TABLE trackway_local.requests ON CLUSTER 'main' MODIFY SETTING min_bytes_for_wide_part = 134217728;

ALTER TABLE trackway_local.spans ON CLUSTER 'main' MODIFY SETTING min_bytes_for_wide_part = 134217728;

ALTER TABLE trackway_local.events ON CLUSTER 'main' MODIFY SETTING min_bytes_for_wide_part = 134217728;

ALTER TABLE trackway_local.journey ON CLUSTER 'main' MODIFY SETTING min_bytes_for_wide_part = 134217728;

ALTER TABLE trackway_local.trace_index ON CLUSTER 'main' MODIFY SETTING min_bytes_for_wide_part = 134217728;

ALTER TABLE trackway_local.journey ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS trace_id FixedString(16);

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

INSERT INTO trackway.schema_version (version, name, checksum)
SELECT step.1, step.2, step.3
FROM (SELECT arrayJoin([(5, 'derive in the collector', '7f6db32c8fe8205c')]) AS step)
WHERE step.1 NOT IN (SELECT version FROM trackway.schema_version);

