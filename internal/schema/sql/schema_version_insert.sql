INSERT INTO {{.DB}}.schema_version (version)
SELECT toUInt32({{.Version}}) AS v
WHERE v NOT IN (SELECT version FROM {{.DB}}.schema_version)
