SELECT
  toInt64(count()) AS entries,
  toInt64(sum(received - rejected)) AS accepted,
  toInt64(sum(stored)) AS stored,
  toInt64(sum(dead_letter)) AS dead_letter,
  toInt64(sum(arraySum(mapValues(dropped)))) AS dropped,
  toInt64(sum(removed)) AS removed,
  toInt64(sum(request_rows)) AS request_rows,
  toInt64(sum(span_rows)) AS span_rows,
  toInt64(sum(event_rows)) AS event_rows
FROM trackway.delivery_ledger FINAL
