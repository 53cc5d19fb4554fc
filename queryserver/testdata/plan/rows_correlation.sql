-- rows_of_key
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p2 = "account_id"
--   p3 = "acc_108"
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
  AND (ts, rid) IN (
    SELECT ts, rid
    FROM journey
    WHERE project = {project:String}
      AND key = {p2:String} AND value = {p3:String} AND kind = 'request'
      AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
    ORDER BY ts DESC, rid DESC
    LIMIT 101
  )
ORDER BY ts DESC, rid DESC
