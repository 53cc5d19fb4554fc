EXPLAIN ESTIMATE
SELECT rid
FROM journey
WHERE project = {project:String}{{.Where}}
