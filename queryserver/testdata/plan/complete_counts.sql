-- complete_counts
--   p0 = "1796036400"
--   p1 = "1796043600"
--   p2 = "ac"
--   project = "default"
SELECT toString(route) AS value, sum(cnt) AS count
FROM cnt_h
WHERE project = {project:String}
  AND hour >= toDateTime({p0:Int64}, 'UTC')
  AND hour < toDateTime({p1:Int64}, 'UTC')
  AND startsWith(value, {p2:String})
  AND value != ''
GROUP BY value
ORDER BY count DESC, value
LIMIT 20
