-- usage_days
--   p0 = "1795392000"
--   p1 = "1796083200"
--   project = "default"
SELECT toUnixTimestamp(toStartOfDay(minute)) AS day, sum(received) AS received, sum(rejected) AS rejected, sum(stored) AS stored, sum(dead_letter) AS dead_letter,
  sum(removed) AS removed, sum(request_rows) AS requests, sum(span_rows) AS spans, sum(event_rows) AS events, sumMap(dropped) AS dropped
FROM delivery_ledger FINAL
WHERE project = {project:String}
  AND minute >= toDateTime({p0:Int64}, 'UTC')
  AND minute < toDateTime({p1:Int64}, 'UTC')
GROUP BY day
ORDER BY day

-- usage_traffic
--   p0 = "1795392000"
--   p1 = "1796083200"
--   project = "default"
SELECT toUnixTimestamp(toStartOfDay(hour)) AS day, service, sum(cnt) AS requests, sum(bytes) AS traffic
FROM cnt_h
WHERE project = {project:String}
  AND hour >= toDateTime({p0:Int64}, 'UTC')
  AND hour < toDateTime({p1:Int64}, 'UTC')
GROUP BY day, service
ORDER BY day, requests DESC, service

-- usage_disk
--   p0 = "1795392000"
--   p1 = "1796083200"
--   project = "default"
SELECT toUnixTimestamp(toDateTime(toDate(partition), 'UTC')) AS day, table, sum(rows) AS all_rows, sum(bytes_on_disk) AS disk
FROM system.parts
WHERE active
  AND database = currentDatabase()
  AND table IN ('requests', 'spans', 'events')
  AND min_time < toDateTime({p1:Int64}, 'UTC')
  AND max_time >= toDateTime({p0:Int64}, 'UTC')
GROUP BY day, table
