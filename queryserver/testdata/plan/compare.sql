-- scan
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p2 = "api"
--   p3 = "1796038496789000000"
--   p4 = "1796042096789000000"
--   p5 = "800000000"
--   p6 = "900000000"
--   p7 = "500"
--   project = "default"
--   SETTING precise_float_parsing = 1
EXPLAIN ESTIMATE
SELECT rid
FROM requests
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND service = {p2:String}
  AND ts >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p4:Int64}, 'UTC') AND duration >= {p5:UInt64} AND duration < {p6:UInt64} AND (status >= {p7:UInt64})

-- compare_count
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p2 = "api"
--   p3 = "1796038496789000000"
--   p4 = "1796042096789000000"
--   p5 = "800000000"
--   p6 = "900000000"
--   p7 = "500"
--   project = "default"
--   SETTING precise_float_parsing = 1
SELECT count() AS n
FROM requests
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND service = {p2:String}
  AND ts >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p4:Int64}, 'UTC') AND duration >= {p5:UInt64} AND duration < {p6:UInt64} AND (status >= {p7:UInt64})

-- compare_items
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p2 = "api"
--   p3 = "1796038496789000000"
--   p4 = "1796042096789000000"
--   p5 = "800000000"
--   p6 = "900000000"
--   p7 = "500"
--   p8 = "5"
--   project = "default"
--   SETTING precise_float_parsing = 1
SELECT item, count() AS n
FROM (
  SELECT arrayJoin(arrayConcat(
    ['n', concat('cservice=', toString(service)), concat('cenv=', toString(env)), concat('crelease=', toString(release)), concat('cinstance=', toString(instance)), concat('ckind=', toString(kind)), concat('cmethod=', toString(method)), concat('croute=', toString(route)), concat('cspan_status=', toString(span_status)), concat('cerror_type=', toString(error_type)), concat('cuser_agent=', toString(user_agent)), concat('cclient_ip=', toString(client_ip)), concat('cscope_name=', toString(scope_name))],
    arrayMap(i -> concat('a', i), arrayFilter(i -> position(i, '=') > 1, facet_items)),
    arrayMap((k, v) -> concat('k', k, '\x01', v), mapKeys(correlation), mapValues(correlation))
  )) AS item
  FROM requests
  WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND service = {p2:String}
  AND ts >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p4:Int64}, 'UTC') AND duration >= {p5:UInt64} AND duration < {p6:UInt64} AND (status >= {p7:UInt64})
)
GROUP BY item
HAVING n >= {p8:UInt64} OR item = 'n'
ORDER BY item = 'n' DESC, n DESC, item
LIMIT 500

-- scan
--   p0 = "1795437296789000000"
--   p1 = "1796042096789000000"
--   p2 = "api"
--   p3 = "1796038496789000000"
--   p4 = "1796042096789000000"
--   p5 = "800000000"
--   p6 = "900000000"
--   p7 = "500"
--   project = "default"
--   SETTING precise_float_parsing = 1
EXPLAIN ESTIMATE
SELECT rid
FROM requests
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND service = {p2:String}
  AND NOT (ts >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p4:Int64}, 'UTC') AND duration >= {p5:UInt64} AND duration < {p6:UInt64} AND (status >= {p7:UInt64}))

-- compare_count
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p10 = "900000000001"
--   p11 = "899999999999"
--   p12 = "api"
--   p13 = "1796038496789000000"
--   p14 = "1796042096789000000"
--   p15 = "800000000"
--   p16 = "900000000"
--   p17 = "500"
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
SELECT count() AS n
FROM requests
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND indexHint(ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC') OR ts >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (toUnixTimestamp64Nano(ts) - {p6:Int64}) % {p7:Int64} - toInt64(bitShiftRight(toUInt64(intDiv(toUnixTimestamp64Nano(ts) - {p8:Int64}, {p9:Int64})) * 11400714819323198485, 11) % {p10:UInt64}) BETWEEN 0 AND {p11:Int64}
  AND service = {p12:String}
  AND NOT (ts >= fromUnixTimestamp64Nano({p13:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p14:Int64}, 'UTC') AND duration >= {p15:UInt64} AND duration < {p16:UInt64} AND (status >= {p17:UInt64}))

-- compare_items
--   p0 = "croute=/a"
--   p1 = "kuser_id\x01u_1"
--   p10 = "1796038496789000000"
--   p11 = "1800000000000"
--   p12 = "900000000001"
--   p13 = "899999999999"
--   p14 = "api"
--   p15 = "1796038496789000000"
--   p16 = "1796042096789000000"
--   p17 = "800000000"
--   p18 = "900000000"
--   p19 = "500"
--   p2 = "1796038496789000000"
--   p20 = "1"
--   p3 = "1796042096789000000"
--   p4 = "1796038496789000000"
--   p5 = "1796039396789000000"
--   p6 = "1796040552071866470"
--   p7 = "1796041452071866470"
--   p8 = "1796038496789000000"
--   p9 = "1800000000000"
--   project = "default"
--   SETTING precise_float_parsing = 1
SELECT item, count() AS n
FROM (
  SELECT arrayJoin(arrayConcat(
    ['n', concat('cservice=', toString(service)), concat('cenv=', toString(env)), concat('crelease=', toString(release)), concat('cinstance=', toString(instance)), concat('ckind=', toString(kind)), concat('cmethod=', toString(method)), concat('croute=', toString(route)), concat('cspan_status=', toString(span_status)), concat('cerror_type=', toString(error_type)), concat('cuser_agent=', toString(user_agent)), concat('cclient_ip=', toString(client_ip)), concat('cscope_name=', toString(scope_name))],
    arrayMap(i -> concat('a', i), arrayFilter(i -> position(i, '=') > 1, facet_items)),
    arrayMap((k, v) -> concat('k', k, '\x01', v), mapKeys(correlation), mapValues(correlation))
  )) AS item
  FROM requests
  WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND indexHint(ts >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p5:Int64}, 'UTC') OR ts >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
  AND (toUnixTimestamp64Nano(ts) - {p8:Int64}) % {p9:Int64} - toInt64(bitShiftRight(toUInt64(intDiv(toUnixTimestamp64Nano(ts) - {p10:Int64}, {p11:Int64})) * 11400714819323198485, 11) % {p12:UInt64}) BETWEEN 0 AND {p13:Int64}
  AND service = {p14:String}
  AND NOT (ts >= fromUnixTimestamp64Nano({p15:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p16:Int64}, 'UTC') AND duration >= {p17:UInt64} AND duration < {p18:UInt64} AND (status >= {p19:UInt64}))
)
WHERE item IN ('n', {p0:String}, {p1:String})
GROUP BY item
HAVING n >= {p20:UInt64} OR item = 'n'
ORDER BY item = 'n' DESC, n DESC, item
LIMIT 500
