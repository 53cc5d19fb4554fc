SELECT period, sum(n) AS total, sumIf(n, status >= 500) AS errors, sum(w) AS weight
FROM (
{{template "counts.sql" .}}
)
GROUP BY period
