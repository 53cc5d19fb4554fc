SELECT
  table AS name,
  toInt64(sum(rows)) AS rows,
  toInt64(sum(bytes_on_disk)) AS bytes,
  toInt64(sum(secondary_indices_compressed_bytes) + sum(secondary_indices_marks_bytes)) AS index_bytes,
  toInt64(count()) AS parts
FROM system.parts
WHERE active AND database = {database:String}
GROUP BY table
ORDER BY bytes DESC
