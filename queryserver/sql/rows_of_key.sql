SELECT {{.Columns}}
FROM {{.Table}}
WHERE project = {project:String}
  AND ts >= {{.From}}
  AND ts < {{.To}}
  AND (ts, rid) IN (
    SELECT ts, rid
    FROM journey
    WHERE project = {project:String}
      AND {{.Key}}
      AND ts >= {{.From}}
      AND ts < {{.To}}{{.After}}
    ORDER BY ts {{.Order}}, rid {{.Order}}
    LIMIT {{.Limit}}
  )
ORDER BY ts {{.Order}}, rid {{.Order}}
