SELECT
  table,
  name,
  type_full AS type,
  toInt64(data_compressed_bytes + marks_bytes) AS bytes
FROM system.data_skipping_indices
WHERE database = {database:String} AND data_compressed_bytes > 0
ORDER BY table, bytes DESC
