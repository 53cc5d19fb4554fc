SELECT {{.Columns}}
FROM requests
WHERE project = {project:String}
  AND ts = {{.Time}}
  AND rid = {{.RID}}
LIMIT 1
