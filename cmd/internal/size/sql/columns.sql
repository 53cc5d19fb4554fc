SELECT
  table,
  column AS name,
  toInt64(sum(column_bytes_on_disk)) AS bytes
FROM system.parts_columns
WHERE active AND database = {database:String}
GROUP BY table, column
ORDER BY table, bytes DESC
