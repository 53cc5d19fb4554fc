-- rows
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p2 = "500"
--   p3 = "/projects/:id/tasks"
--   p4 = "812400000"
--   project = "default"
--   SETTING precise_float_parsing = 1
--   SETTING query_plan_max_limit_for_lazy_materialization = 10001
--   SETTING query_plan_optimize_lazy_materialization = 1
--   SETTING use_top_k_dynamic_filtering = 0
SELECT ts, rid, service, status, duration
FROM requests
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND status >= {p2:UInt64}
  AND route = {p3:String}
  AND duration > {p4:UInt64}
  AND ts IN (
    SELECT ts
    FROM requests
    WHERE project = {project:String}
      AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND status >= {p2:UInt64}
  AND route = {p3:String}
  AND duration > {p4:UInt64}
    ORDER BY ts DESC
    LIMIT 101
  )
ORDER BY ts DESC, rid DESC
LIMIT 101

-- rows
--   p0 = "1795955696789000000"
--   p1 = "1796038496789000000"
--   p2 = "500"
--   p3 = "/projects/:id/tasks"
--   p4 = "812400000"
--   project = "default"
--   SETTING precise_float_parsing = 1
--   SETTING query_plan_max_limit_for_lazy_materialization = 10001
--   SETTING query_plan_optimize_lazy_materialization = 1
--   SETTING use_top_k_dynamic_filtering = 0
SELECT ts, rid, service, status, duration
FROM requests
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND status >= {p2:UInt64}
  AND route = {p3:String}
  AND duration > {p4:UInt64}
  AND ts IN (
    SELECT ts
    FROM requests
    WHERE project = {project:String}
      AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND status >= {p2:UInt64}
  AND route = {p3:String}
  AND duration > {p4:UInt64}
    ORDER BY ts DESC
    LIMIT 101
  )
ORDER BY ts DESC, rid DESC
LIMIT 101

-- rows
--   p0 = "1795437296789000000"
--   p1 = "1795955696789000000"
--   p2 = "500"
--   p3 = "/projects/:id/tasks"
--   p4 = "812400000"
--   project = "default"
--   SETTING optimize_read_in_order = 0
--   SETTING precise_float_parsing = 1
--   SETTING query_plan_max_limit_for_lazy_materialization = 10001
--   SETTING query_plan_optimize_lazy_materialization = 1
--   SETTING use_top_k_dynamic_filtering = 0
SELECT ts, rid, service, status, duration
FROM requests
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND status >= {p2:UInt64}
  AND route = {p3:String}
  AND duration > {p4:UInt64}
  AND ts IN (
    SELECT ts
    FROM requests
    WHERE project = {project:String}
      AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND status >= {p2:UInt64}
  AND route = {p3:String}
  AND duration > {p4:UInt64}
    ORDER BY ts DESC
    LIMIT 101
  )
ORDER BY ts DESC, rid DESC
LIMIT 101
