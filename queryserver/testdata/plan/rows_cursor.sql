-- rows
--   p0 = "1796038496789000000"
--   p1 = "1796042036789000001"
--   p2 = "1796042036789000000"
--   p3 = "7"
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
  AND (ts, rid) < (fromUnixTimestamp64Nano({p2:Int64}, 'UTC'), {p3:UInt64})
  AND ts IN (
    SELECT ts
    FROM requests
    WHERE project = {project:String}
      AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND (ts, rid) < (fromUnixTimestamp64Nano({p2:Int64}, 'UTC'), {p3:UInt64})
    ORDER BY ts DESC
    LIMIT 101
  )
ORDER BY ts DESC, rid DESC
LIMIT 101
