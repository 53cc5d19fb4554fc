SELECT service, method, route, sum(n) AS total
FROM (
{{template "counts.sql" .Segments}}
)
GROUP BY service, method, route
ORDER BY total DESC, service, method, route
LIMIT {{.Limit}}
