SELECT value, count() AS count
FROM (
  SELECT {{.Value}} AS value
  FROM {{.Table}}
  WHERE project = {project:String}
    AND ts >= {{.From}}
    AND ts < {{.To}}
  ORDER BY ts DESC
  LIMIT {{.Rows}}
)
WHERE value != ''
  AND startsWith(value, {{.Prefix}})
GROUP BY value
ORDER BY count DESC, value
LIMIT {{.Limit}}
