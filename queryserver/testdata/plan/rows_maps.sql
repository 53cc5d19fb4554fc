-- rows
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p10 = "7"
--   p11 = "n"
--   p12 = "4609434218613702656"
--   p2 = "plan"
--   p3 = "enterprise"
--   p4 = "plan"
--   p5 = "free"
--   p6 = "n"
--   p7 = "4617315517961601024"
--   p8 = "n"
--   p9 = "4619567317775286272"
--   project = "default"
--   SETTING precise_float_parsing = 1
--   SETTING query_plan_max_limit_for_lazy_materialization = 10001
--   SETTING query_plan_optimize_lazy_materialization = 1
--   SETTING use_top_k_dynamic_filtering = 0
SELECT ts, rid, service
FROM requests
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND attributes[{p2:String}] = {p3:String}
  AND (mapContains(attributes, {p4:String}) AND attributes[{p4:String}] != {p5:String})
  AND ifNull(if(match(attributes[{p6:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p6:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p6:String}], '+')), NULL) >= reinterpretAsFloat64({p7:UInt64}), 0)
  AND (mapContains(attributes, {p8:String}) AND ifNull(if(match(attributes[{p8:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p8:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p8:String}], '+')), NULL) < reinterpretAsFloat64({p9:UInt64}), attributes[{p8:String}] < {p10:String}))
  AND (mapContains(attributes, {p11:String}) AND ifNull(if(match(attributes[{p11:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p11:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p11:String}], '+')), NULL) != reinterpretAsFloat64({p12:UInt64}), 1))
  AND ts IN (
    SELECT ts
    FROM requests
    WHERE project = {project:String}
      AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND attributes[{p2:String}] = {p3:String}
  AND (mapContains(attributes, {p4:String}) AND attributes[{p4:String}] != {p5:String})
  AND ifNull(if(match(attributes[{p6:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p6:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p6:String}], '+')), NULL) >= reinterpretAsFloat64({p7:UInt64}), 0)
  AND (mapContains(attributes, {p8:String}) AND ifNull(if(match(attributes[{p8:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p8:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p8:String}], '+')), NULL) < reinterpretAsFloat64({p9:UInt64}), attributes[{p8:String}] < {p10:String}))
  AND (mapContains(attributes, {p11:String}) AND ifNull(if(match(attributes[{p11:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p11:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p11:String}], '+')), NULL) != reinterpretAsFloat64({p12:UInt64}), 1))
    ORDER BY ts DESC
    LIMIT 101
  )
ORDER BY ts DESC, rid DESC
LIMIT 101
