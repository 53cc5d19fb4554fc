SELECT
  toInt64(count()) AS parts,
  toInt64(max(n)) AS most,
  (SELECT toInt64(count()) FROM system.merges WHERE database = {database:String}) AS merges
FROM (
  SELECT table, partition, count() AS n
  FROM system.parts
  WHERE active AND database = {database:String}
  GROUP BY table, partition
)
