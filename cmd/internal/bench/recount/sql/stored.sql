SELECT
  toInt64(sumIf(rows, table IN ('requests', 'spans', 'events', 'otel_traces', 'otel_logs'))) AS records,
  toInt64(sumIf(rows, table = 'journey')) AS journey
FROM system.parts
WHERE active AND database = {database:String}
