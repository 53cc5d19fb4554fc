SELECT service, type, peer, sum(n) AS total, sum(bad) AS errors, groupArray(b) AS buckets, groupArray(n) AS counts
FROM (
  SELECT toString(service) AS service,
    if(attributes['db.system.name'] != '', attributes['db.system.name'], attributes['db.system']) AS db,
    if(attributes['messaging.destination.name'] != '', attributes['messaging.destination.name'], attributes['messaging.destination']) AS destination,
    if(attributes['server.address'] != '', attributes['server.address'], attributes['net.peer.name']) AS address,
    if(attributes['db.namespace'] != '', attributes['db.namespace'], attributes['db.name']) AS namespace,
    multiIf(db != '', 'database', destination != '', 'messaging', 'external') AS type,
    multiIf(type = 'database', concat(db, if(namespace != '', concat(' ', namespace), if(address != '', concat(' ', address), ''))),
      type = 'messaging', trim(concat(attributes['messaging.system'], ' ', destination)),
      if(attributes['peer.service'] != '', attributes['peer.service'], address)) AS peer,
    {{template "bucket.sql"}} AS b, count() AS n, countIf(span_status = 'error') AS bad
  FROM spans
  WHERE project = {project:String}{{.Sample}}
    AND kind IN ('client', 'producer')
    AND (type != 'external' OR peer != '' AND (trace_id, span_id) NOT IN (
      SELECT trace_id, parent_span_id
      FROM requests
      WHERE project = {project:String}
        AND ts >= {{.From}}
        AND ts < {{.To}}
        AND indexHint({{.Callees}})
    ))
  GROUP BY service, db, destination, address, namespace, type, peer, b
)
GROUP BY service, type, peer
ORDER BY total DESC, service, type, peer
LIMIT {{.Limit}}
