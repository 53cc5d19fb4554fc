-- step record steps, 6e41efccd2ba5ab8
ALTER TABLE trackway.schema_version ON CLUSTER 'main'
  ADD COLUMN IF NOT EXISTS name String,
  ADD COLUMN IF NOT EXISTS checksum String;

INSERT INTO trackway.schema_version (version, name, checksum)
SELECT step.1, step.2, step.3
FROM (SELECT arrayJoin([(2, 'record steps', '6e41efccd2ba5ab8')]) AS step)
WHERE step.1 NOT IN (SELECT version FROM trackway.schema_version);

