SELECT service, peer, sum(n) AS total, sum(bad) AS errors, groupArray(b) AS buckets, groupArray(n) AS counts
FROM (
  SELECT toString(service) AS service,
    if(attributes['messaging.destination.name'] != '', attributes['messaging.destination.name'], attributes['messaging.destination']) AS destination,
    trim(concat(attributes['messaging.system'], ' ', destination)) AS peer,
    {{template "bucket.sql"}} AS b, count() AS n, countIf(status >= 500 OR span_status = 'error') AS bad
  FROM requests
  WHERE project = {project:String}{{.Sample}}
    AND kind = 'messaging'
    AND destination != ''
  GROUP BY service, destination, peer, b
)
GROUP BY service, peer
ORDER BY total DESC, service, peer
LIMIT {{.Limit}}
