SELECT toUInt32({{.Column}}) AS c, service, method, route, quantilesInterpolatedWeighted(0.95)(toFloat64(b), n) AS q
FROM (
{{template "latencies.sql" .Segments}}
)
GROUP BY c, service, method, route
