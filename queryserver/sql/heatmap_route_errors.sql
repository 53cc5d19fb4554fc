SELECT toUInt32({{.Column}}) AS c, service, method, route, sum(n) AS errors
FROM (
{{template "counts.sql" .Segments}}
)
WHERE status >= 500
GROUP BY c, service, method, route
