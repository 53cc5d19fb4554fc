SELECT {{.Columns}}
FROM {{.Table}}
WHERE project = {project:String}
  AND ts >= {{.From}}
  AND ts < {{.To}}{{.After}}{{.Where}}
  AND ts IN (
    SELECT ts
    FROM {{.Table}}
    WHERE project = {project:String}
      AND ts >= {{.From}}
      AND ts < {{.To}}{{.After}}{{.Narrow}}{{.Where}}
    ORDER BY ts {{.Order}}
    LIMIT {{.Limit}}
  )
ORDER BY ts {{.Order}}, rid {{.Order}}
LIMIT {{.Limit}}
