SELECT toUnixTimestamp(toStartOfInterval(minute, toIntervalSecond({{.Step}}))) AS start, sum(received) AS received, sum(rejected) AS rejected, sum(stored) AS stored,
  sum(dead_letter) AS dead_letter, sum(removed) AS removed, sumMap(dropped) AS dropped
FROM delivery_ledger FINAL
WHERE project = {project:String}
  AND minute >= {{.From}}
  AND minute < {{.To}}
GROUP BY start
ORDER BY start
