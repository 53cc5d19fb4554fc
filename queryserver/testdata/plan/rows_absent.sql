-- rows
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   project = "default"
--   SETTING precise_float_parsing = 1
--   SETTING query_plan_max_limit_for_lazy_materialization = 10001
--   SETTING query_plan_optimize_lazy_materialization = 1
--   SETTING use_top_k_dynamic_filtering = 0
SELECT ts, rid, service
FROM events
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND 0
  AND 1
  AND 1
  AND ts IN (
    SELECT ts
    FROM events
    WHERE project = {project:String}
      AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND 0
  AND 1
  AND 1
    ORDER BY ts DESC
    LIMIT 101
  )
ORDER BY ts DESC, rid DESC
LIMIT 101
