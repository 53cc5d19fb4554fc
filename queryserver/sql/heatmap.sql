SELECT toUInt32({{.Column}}) AS c, b, sum(n) AS total
FROM (
{{template "latencies.sql" .Segments}}
)
GROUP BY c, b
ORDER BY c, b
