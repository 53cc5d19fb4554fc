SELECT toUnixTimestamp(toStartOfDay(minute)) AS day, sum(received) AS received, sum(rejected) AS rejected, sum(stored) AS stored, sum(dead_letter) AS dead_letter,
  sum(removed) AS removed, sum(request_rows) AS requests, sum(span_rows) AS spans, sum(event_rows) AS events, sumMap(dropped) AS dropped
FROM delivery_ledger FINAL
WHERE project = {project:String}
  AND minute >= {{.From}}
  AND minute < {{.To}}
GROUP BY day
ORDER BY day
