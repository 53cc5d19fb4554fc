-- complete_facets
--   p0 = "1796036400"
--   p1 = "1796043600"
--   p2 = "ac"
--   p3 = "plan"
--   project = "default"
SELECT value, sum(cnt) AS count
FROM facets
WHERE project = {project:String}
  AND field = {p3:String}
  AND hour >= toDateTime({p0:Int64}, 'UTC')
  AND hour < toDateTime({p1:Int64}, 'UTC')
  AND startsWith(value, {p2:String})
  AND value NOT IN ('', '(other)')
GROUP BY value
ORDER BY count DESC, value
LIMIT 20

-- complete_facet_keys
--   p0 = "1796036400"
--   p1 = "1796043600"
--   p2 = "ac"
--   project = "default"
SELECT toString(field) AS value, sum(cnt) AS count
FROM facets
WHERE project = {project:String}
  AND startsWith(field, {p2:String})
  AND hour >= toDateTime({p0:Int64}, 'UTC')
  AND hour < toDateTime({p1:Int64}, 'UTC')
GROUP BY value
ORDER BY count DESC, value
LIMIT 20
