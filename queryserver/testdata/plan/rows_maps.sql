-- rows
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p10 = "4617315517961601024"
--   p11 = "n"
--   p12 = "4619567317775286272"
--   p13 = "7"
--   p14 = "n"
--   p15 = "4609434218613702656"
--   p2 = "plan=enterprise"
--   p3 = "plan=(other)"
--   p4 = "(other)"
--   p5 = "plan"
--   p6 = "enterprise"
--   p7 = "plan"
--   p8 = "free"
--   p9 = "n"
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
  AND attributes[{p5:String}] = {p6:String}
  AND (mapContains(attributes, {p7:String}) AND attributes[{p7:String}] != {p8:String})
  AND ifNull(if(match(attributes[{p9:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p9:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p9:String}], '+')), NULL) >= reinterpretAsFloat64({p10:UInt64}), 0)
  AND (mapContains(attributes, {p11:String}) AND ifNull(if(match(attributes[{p11:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p11:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p11:String}], '+')), NULL) < reinterpretAsFloat64({p12:UInt64}), attributes[{p11:String}] < {p13:String}))
  AND (mapContains(attributes, {p14:String}) AND ifNull(if(match(attributes[{p14:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p14:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p14:String}], '+')), NULL) != reinterpretAsFloat64({p15:UInt64}), 1))
  AND ts IN (
    SELECT ts
    FROM requests
    WHERE project = {project:String}
      AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND hasAny(facet_items, [{p2:String}, {p3:String}, {p4:String}])
  AND attributes[{p5:String}] = {p6:String}
  AND (mapContains(attributes, {p7:String}) AND attributes[{p7:String}] != {p8:String})
  AND ifNull(if(match(attributes[{p9:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p9:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p9:String}], '+')), NULL) >= reinterpretAsFloat64({p10:UInt64}), 0)
  AND (mapContains(attributes, {p11:String}) AND ifNull(if(match(attributes[{p11:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p11:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p11:String}], '+')), NULL) < reinterpretAsFloat64({p12:UInt64}), attributes[{p11:String}] < {p13:String}))
  AND (mapContains(attributes, {p14:String}) AND ifNull(if(match(attributes[{p14:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p14:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p14:String}], '+')), NULL) != reinterpretAsFloat64({p15:UInt64}), 1))
    ORDER BY ts DESC
    LIMIT 101
  )
ORDER BY ts DESC, rid DESC
LIMIT 101
