-- servicemap_calls
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p10 = "900000000001"
--   p11 = "899999999999"
--   p12 = "1796038466789000000"
--   p13 = "1796039396789000000"
--   p14 = "1796040522071866470"
--   p15 = "1796041452071866470"
--   p16 = "1796038466789000000"
--   p17 = "1796042096789000000"
--   p2 = "1796038496789000000"
--   p3 = "1796039396789000000"
--   p4 = "1796040552071866470"
--   p5 = "1796041452071866470"
--   p6 = "1796038496789000000"
--   p7 = "1800000000000"
--   p8 = "1796038496789000000"
--   p9 = "1800000000000"
--   project = "default"
--   SETTING precise_float_parsing = 1
SELECT caller, callee, sum(n) AS total, sum(bad) AS errors, groupArray(b) AS buckets, groupArray(n) AS counts
FROM (
  SELECT p.service AS caller, c.service AS callee, c.b AS b, count() AS n, countIf(c.bad) AS bad
  FROM (
    SELECT service, trace_id, parent_span_id, toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, status >= 500 OR span_status = 'error' AS bad
    FROM requests
    WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND indexHint(ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC') OR ts >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (toUnixTimestamp64Nano(ts) - {p6:Int64}) % {p7:Int64} - toInt64(bitShiftRight(toUInt64(intDiv(toUnixTimestamp64Nano(ts) - {p8:Int64}, {p9:Int64})) * 11400714819323198485, 11) % {p10:UInt64}) BETWEEN 0 AND {p11:Int64}
      AND parent_span_id != toFixedString('', 8)
      AND NOT (kind = 'messaging' AND (mapContains(attributes, 'messaging.destination.name') OR mapContains(attributes, 'messaging.destination')))
  ) AS c
  INNER JOIN (
    SELECT toString(service) AS service, trace_id, span_id
    FROM spans
    WHERE project = {project:String}
      AND ts >= fromUnixTimestamp64Nano({p16:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Nano({p17:Int64}, 'UTC')
      AND indexHint(ts >= fromUnixTimestamp64Nano({p12:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p13:Int64}, 'UTC') OR ts >= fromUnixTimestamp64Nano({p14:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p15:Int64}, 'UTC'))
    UNION ALL
    SELECT toString(service) AS service, trace_id, span_id
    FROM requests
    WHERE project = {project:String}
      AND ts >= fromUnixTimestamp64Nano({p16:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Nano({p17:Int64}, 'UTC')
      AND indexHint(ts >= fromUnixTimestamp64Nano({p12:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p13:Int64}, 'UTC') OR ts >= fromUnixTimestamp64Nano({p14:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p15:Int64}, 'UTC'))
  ) AS p ON c.trace_id = p.trace_id AND c.parent_span_id = p.span_id
  WHERE p.service != c.service
  GROUP BY caller, callee, b
)
GROUP BY caller, callee
ORDER BY total DESC, caller, callee
LIMIT 500

-- servicemap_peers
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p10 = "900000000001"
--   p11 = "899999999999"
--   p12 = "1796038496789000000"
--   p13 = "1796039426789000000"
--   p14 = "1796040552071866470"
--   p15 = "1796041482071866470"
--   p16 = "1796038496789000000"
--   p17 = "1796042126789000000"
--   p2 = "1796038496789000000"
--   p3 = "1796039396789000000"
--   p4 = "1796040552071866470"
--   p5 = "1796041452071866470"
--   p6 = "1796038496789000000"
--   p7 = "1800000000000"
--   p8 = "1796038496789000000"
--   p9 = "1800000000000"
--   project = "default"
--   SETTING precise_float_parsing = 1
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
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, count() AS n, countIf(span_status = 'error') AS bad
  FROM spans
  WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND indexHint(ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC') OR ts >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (toUnixTimestamp64Nano(ts) - {p6:Int64}) % {p7:Int64} - toInt64(bitShiftRight(toUInt64(intDiv(toUnixTimestamp64Nano(ts) - {p8:Int64}, {p9:Int64})) * 11400714819323198485, 11) % {p10:UInt64}) BETWEEN 0 AND {p11:Int64}
    AND kind IN ('client', 'producer')
    AND (type != 'external' OR peer != '' AND (trace_id, span_id) NOT IN (
      SELECT trace_id, parent_span_id
      FROM requests
      WHERE project = {project:String}
        AND ts >= fromUnixTimestamp64Nano({p16:Int64}, 'UTC')
        AND ts < fromUnixTimestamp64Nano({p17:Int64}, 'UTC')
        AND indexHint(ts >= fromUnixTimestamp64Nano({p12:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p13:Int64}, 'UTC') OR ts >= fromUnixTimestamp64Nano({p14:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p15:Int64}, 'UTC'))
    ))
  GROUP BY service, db, destination, address, namespace, type, peer, b
)
GROUP BY service, type, peer
ORDER BY total DESC, service, type, peer
LIMIT 500

-- servicemap_consumers
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p10 = "900000000001"
--   p11 = "899999999999"
--   p2 = "1796038496789000000"
--   p3 = "1796039396789000000"
--   p4 = "1796040552071866470"
--   p5 = "1796041452071866470"
--   p6 = "1796038496789000000"
--   p7 = "1800000000000"
--   p8 = "1796038496789000000"
--   p9 = "1800000000000"
--   project = "default"
--   SETTING precise_float_parsing = 1
SELECT service, peer, sum(n) AS total, sum(bad) AS errors, groupArray(b) AS buckets, groupArray(n) AS counts
FROM (
  SELECT toString(service) AS service,
    if(attributes['messaging.destination.name'] != '', attributes['messaging.destination.name'], attributes['messaging.destination']) AS destination,
    trim(concat(attributes['messaging.system'], ' ', destination)) AS peer,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, count() AS n, countIf(status >= 500 OR span_status = 'error') AS bad
  FROM requests
  WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND indexHint(ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC') OR ts >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (toUnixTimestamp64Nano(ts) - {p6:Int64}) % {p7:Int64} - toInt64(bitShiftRight(toUInt64(intDiv(toUnixTimestamp64Nano(ts) - {p8:Int64}, {p9:Int64})) * 11400714819323198485, 11) % {p10:UInt64}) BETWEEN 0 AND {p11:Int64}
    AND kind = 'messaging'
    AND destination != ''
  GROUP BY service, destination, peer, b
)
GROUP BY service, peer
ORDER BY total DESC, service, peer
LIMIT 500
