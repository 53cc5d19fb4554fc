SELECT toUInt32({{.Column}}) AS c, {{.Key}} AS k, sum(n) AS total, sum(w) AS weight
FROM (
{{template "counts.sql" .Segments}}
)
GROUP BY c, k
ORDER BY c, k
