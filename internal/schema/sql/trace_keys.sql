CREATE VIEW IF NOT EXISTS {{.DB}}.trace_keys AS
SELECT
  project,
  key,
  value,
  trace_id,
  min(journey.ts) AS ts
FROM {{.DB}}.journey
WHERE trace_id != toFixedString('', 16)
GROUP BY project, key, value, trace_id
