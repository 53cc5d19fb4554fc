SELECT toString(value), count() AS count
FROM (
  SELECT mapKeys({{.Map}}) AS keys
  FROM {{.Table}}
  WHERE project = {project:String}
    AND ts >= {{.From}}
    AND ts < {{.To}}
  ORDER BY ts DESC
  LIMIT {{.Rows}}
)
ARRAY JOIN keys AS value
WHERE startsWith(value, {{.Prefix}})
GROUP BY value
ORDER BY count DESC, value
LIMIT {{.Limit}}
