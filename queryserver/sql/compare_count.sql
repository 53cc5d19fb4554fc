SELECT count() AS n
FROM {{.Table}}
WHERE project = {project:String}{{.Where}}
