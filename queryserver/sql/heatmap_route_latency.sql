SELECT toUInt32({{.Column}}) AS c, service, method, route, groupArray(b) AS buckets, groupArray(n) AS counts
FROM (
{{template "latencies.sql" .Segments}}
)
GROUP BY c, service, method, route
ORDER BY c
