SELECT toUnixTimestamp(toStartOfDay(hour)) AS day, service, sum(cnt) AS requests, sum(bytes) AS traffic
FROM cnt_h
WHERE project = {project:String}
  AND hour >= {{.From}}
  AND hour < {{.To}}
GROUP BY day, service
ORDER BY day, requests DESC, service
