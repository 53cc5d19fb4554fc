SELECT
  (SELECT toInt64(sum(rows)) FROM system.parts WHERE active AND database = {database:String} AND table = 'otel_traces') AS traces,
  (SELECT toInt64(sum(rows)) FROM system.parts WHERE active AND database = {database:String} AND table = 'otel_logs') AS logs
