-- trace_minutes
--   p0 = "4bf92f3577b34da6a3ce929d0e0e4736"
--   project = "default"
SELECT DISTINCT minute
FROM trace_index
WHERE project = {project:String}
  AND h = reinterpretAsUInt32(unhex({p0:String}))
ORDER BY minute
LIMIT 1441
