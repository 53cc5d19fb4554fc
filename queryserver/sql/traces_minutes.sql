SELECT DISTINCT minute
FROM trace_index
WHERE project = {project:String}
  AND h IN (arrayMap(x -> reinterpretAsUInt32(unhex(x)), {{.Traces}}))
  AND minute >= {{.From}}
  AND minute < {{.To}}
ORDER BY minute
LIMIT {{.Limit}}
