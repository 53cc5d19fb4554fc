SELECT toUnixTimestamp(toDateTime(toDate(partition), 'UTC')) AS day, table, sum(rows) AS all_rows, sum(bytes_on_disk) AS disk
FROM system.parts
WHERE active
  AND database = currentDatabase()
  AND table IN ('requests', 'spans', 'events')
  AND min_time < {{.To}}
  AND max_time >= {{.From}}
GROUP BY day, table
