SELECT {{.Columns}}
FROM {{.Table}}
WHERE project = {project:String}
  AND ts = {{.Time}}
  AND rid = {{.RID}}
LIMIT 1
