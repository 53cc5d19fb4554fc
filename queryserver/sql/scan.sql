EXPLAIN ESTIMATE
SELECT rid
FROM {{.Table}}
WHERE project = {project:String}
  AND ts >= {{.From}}
  AND ts < {{.To}}{{.Where}}
