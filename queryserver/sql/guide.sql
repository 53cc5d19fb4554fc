SELECT toInt64(toUnixTimestamp({{.Column}})) AS t, sum(cnt) AS n
FROM {{.Table}}
WHERE project = {project:String}
  AND ({{.Ranges}}){{.Where}}
GROUP BY t
