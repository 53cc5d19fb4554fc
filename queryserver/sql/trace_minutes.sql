SELECT DISTINCT minute
FROM trace_index
WHERE project = {project:String}
  AND h = reinterpretAsUInt32(unhex({{.TraceID}}))
ORDER BY minute
LIMIT {{.Limit}}
