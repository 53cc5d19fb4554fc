SELECT toUInt32({{.Column}}) AS c, service, method, route, sum(n) AS total, sumIf(n, status >= 500) AS errors
FROM (
{{template "counts.sql" .Segments}}
)
GROUP BY c, service, method, route
ORDER BY c, service, method, route
