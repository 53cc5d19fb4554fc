SELECT
  version() AS version,
  toInt64(sumIf(rows, table = 'requests')) AS requests,
  toInt64(sumIf(rows, table = 'spans')) AS spans,
  toInt64(sumIf(rows, table = 'events')) AS events
FROM system.parts
WHERE active AND database = {database:String}
