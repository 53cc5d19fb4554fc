-- Rollups, journey and trace index are inserted beside the records they are made
-- of, by the exporter, which does that from this version on.
DROP VIEW IF EXISTS {{.DB}}.v_lat_q;
DROP VIEW IF EXISTS {{.DB}}.v_lat_h;
DROP VIEW IF EXISTS {{.DB}}.v_cnt_h;
DROP VIEW IF EXISTS {{.DB}}.v_lat_m;
DROP VIEW IF EXISTS {{.DB}}.v_cnt_m;
DROP VIEW IF EXISTS {{.DB}}.v_facets;
DROP VIEW IF EXISTS {{.DB}}.v_journey_requests;
DROP VIEW IF EXISTS {{.DB}}.v_journey_spans;
DROP VIEW IF EXISTS {{.DB}}.v_journey_events;
DROP VIEW IF EXISTS {{.DB}}.v_trace_index_requests;
DROP VIEW IF EXISTS {{.DB}}.v_trace_index_spans;
DROP VIEW IF EXISTS {{.DB}}.v_trace_index_events;
-- Correlation keys are looked up in the journey; nobody read the bloom filter.
ALTER TABLE {{.DB}}.requests DROP INDEX IF EXISTS ix_corr, DROP COLUMN IF EXISTS corr_items;
ALTER TABLE {{.DB}}.spans DROP INDEX IF EXISTS ix_corr, DROP COLUMN IF EXISTS corr_items;
ALTER TABLE {{.DB}}.events DROP INDEX IF EXISTS ix_corr, DROP COLUMN IF EXISTS corr_items;
-- A unit of insert becomes one file a part instead of one for each column.
ALTER TABLE {{.DB}}.requests MODIFY SETTING {{.Compact}};
ALTER TABLE {{.DB}}.spans MODIFY SETTING {{.Compact}};
ALTER TABLE {{.DB}}.events MODIFY SETTING {{.Compact}};
ALTER TABLE {{.DB}}.journey MODIFY SETTING {{.Compact}};
ALTER TABLE {{.DB}}.trace_index MODIFY SETTING {{.Compact}};
-- The traces that carry a key.
ALTER TABLE {{.DB}}.journey ADD COLUMN IF NOT EXISTS trace_id FixedString(16);
CREATE trace_keys;
