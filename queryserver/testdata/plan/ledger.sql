-- ledger
--   p0 = "1796038440"
--   p1 = "1796042096"
--   project = "default"
SELECT toUnixTimestamp(toStartOfInterval(minute, toIntervalSecond(60))) AS start, sum(received) AS received, sum(rejected) AS rejected, sum(stored) AS stored,
  sum(dead_letter) AS dead_letter, sum(removed) AS removed, sumMap(dropped) AS dropped
FROM delivery_ledger FINAL
WHERE project = {project:String}
  AND minute >= toDateTime({p0:Int64}, 'UTC')
  AND minute < toDateTime({p1:Int64}, 'UTC')
GROUP BY start
ORDER BY start
