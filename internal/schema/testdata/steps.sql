-- step record steps, 6e41efccd2ba5ab8
ALTER TABLE trackway.schema_version
  ADD COLUMN IF NOT EXISTS name String,
  ADD COLUMN IF NOT EXISTS checksum String;

INSERT INTO trackway.schema_version (version, name, checksum)
SELECT step.1, step.2, step.3
FROM (SELECT arrayJoin([(2, 'record steps', '6e41efccd2ba5ab8')]) AS step)
WHERE step.1 NOT IN (SELECT version FROM trackway.schema_version);

-- step delivery ledger, dcdeb4103a313022
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

INSERT INTO trackway.schema_version (version, name, checksum)
SELECT step.1, step.2, step.3
FROM (SELECT arrayJoin([(3, 'delivery ledger', 'dcdeb4103a313022')]) AS step)
WHERE step.1 NOT IN (SELECT version FROM trackway.schema_version);

-- step dropped partitions, 4a9b13de7200618b
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

INSERT INTO trackway.schema_version (version, name, checksum)
SELECT step.1, step.2, step.3
FROM (SELECT arrayJoin([(4, 'dropped partitions', '4a9b13de7200618b')]) AS step)
WHERE step.1 NOT IN (SELECT version FROM trackway.schema_version);

-- step derive in the collector, 7f6db32c8fe8205c
DROP VIEW IF EXISTS trackway.v_lat_q;

DROP VIEW IF EXISTS trackway.v_lat_h;

DROP VIEW IF EXISTS trackway.v_cnt_h;

DROP VIEW IF EXISTS trackway.v_lat_m;

DROP VIEW IF EXISTS trackway.v_cnt_m;

DROP VIEW IF EXISTS trackway.v_facets;

DROP VIEW IF EXISTS trackway.v_journey_requests;

DROP VIEW IF EXISTS trackway.v_journey_spans;

DROP VIEW IF EXISTS trackway.v_journey_events;

DROP VIEW IF EXISTS trackway.v_trace_index_requests;

DROP VIEW IF EXISTS trackway.v_trace_index_spans;

DROP VIEW IF EXISTS trackway.v_trace_index_events;

ALTER TABLE trackway.requests DROP INDEX IF EXISTS ix_corr, DROP COLUMN IF EXISTS corr_items;

ALTER TABLE trackway.spans DROP INDEX IF EXISTS ix_corr, DROP COLUMN IF EXISTS corr_items;

ALTER TABLE trackway.events DROP INDEX IF EXISTS ix_corr, DROP COLUMN IF EXISTS corr_items;

ALTER TABLE trackway.requests MODIFY SETTING min_bytes_for_wide_part = 134217728;

ALTER TABLE trackway.spans MODIFY SETTING min_bytes_for_wide_part = 134217728;

ALTER TABLE trackway.events MODIFY SETTING min_bytes_for_wide_part = 134217728;

ALTER TABLE trackway.journey MODIFY SETTING min_bytes_for_wide_part = 134217728;

ALTER TABLE trackway.trace_index MODIFY SETTING min_bytes_for_wide_part = 134217728;

ALTER TABLE trackway.journey ADD COLUMN IF NOT EXISTS trace_id FixedString(16);

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

INSERT INTO trackway.schema_version (version, name, checksum)
SELECT step.1, step.2, step.3
FROM (SELECT arrayJoin([(5, 'derive in the collector', '7f6db32c8fe8205c')]) AS step)
WHERE step.1 NOT IN (SELECT version FROM trackway.schema_version);

