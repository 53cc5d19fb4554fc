    SELECT ts
    FROM {{.Keys}}
    WHERE {{if .Journey}}{{.Journey}}
      AND {{end}}project = {project:String}
      AND ts >= {{.From}}
      AND ts < {{.To}}{{.After}}{{if not .Journey}}{{.Narrow}}{{.Where}}{{end}}
    ORDER BY ts {{.Order}}
    LIMIT {{.Limit}}
