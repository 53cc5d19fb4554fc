SELECT service, method, route, quantilesInterpolatedWeighted(0.5, 0.95, 0.99)(toFloat64(b), n) AS q
FROM (
{{template "latencies.sql" .}}
)
GROUP BY service, method, route
