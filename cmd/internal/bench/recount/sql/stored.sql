SELECT toInt64(sum(rows)) AS rows
FROM system.parts
WHERE active AND database = {database:String} AND table IN ('requests', 'spans', 'events', 'otel_traces', 'otel_logs')
