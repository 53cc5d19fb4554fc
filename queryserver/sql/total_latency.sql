SELECT period, groupArray(b) AS buckets, groupArray(total) AS counts
FROM (
  SELECT period, b, sum(n) AS total
  FROM (
{{template "latencies.sql" .}}
  )
  GROUP BY period, b
)
GROUP BY period
