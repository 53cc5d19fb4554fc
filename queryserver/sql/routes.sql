SELECT service, method, route, sum(n) AS total, sumIf(n, status >= 500) AS errors, sum(w) AS weight
FROM (
{{template "counts.sql" .Segments}}
)
GROUP BY service, method, route
ORDER BY total DESC, service, method, route
LIMIT {{.Limit}}
