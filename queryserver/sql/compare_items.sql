SELECT item, count() AS n
FROM (
  SELECT arrayJoin(arrayConcat(
    ['n'{{range .Columns}}, concat('c{{.}}=', toString({{.}})){{end}}],
    arrayMap(i -> concat('a', i), arrayFilter(i -> position(i, '=') > 1, facet_items)),
    arrayMap((k, v) -> concat('k', k, '\x01', v), mapKeys(correlation), mapValues(correlation))
  )) AS item
  FROM {{.Table}}
  WHERE project = {project:String}{{.Where}}
){{if .Candidates}}
WHERE item IN ('n', {{.Candidates}}){{end}}
GROUP BY item
HAVING n >= {{.Support}} OR item = 'n'
ORDER BY item = 'n' DESC, n DESC, item
LIMIT {{.Limit}}
