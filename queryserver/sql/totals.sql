SELECT period, sum(n) AS total, sumIf(n, status >= 500) AS errors
FROM (
{{template "counts.sql" .}}
)
GROUP BY period
