SELECT
  c.table AS name,
  arrayStringConcat(arrayMap(x -> x.2, arraySort(x -> x.1, groupArray((c.position, c.name)))), ', ') AS columns
FROM system.columns AS c
WHERE
  c.database = 'trackway'
  AND c.default_kind NOT IN ('ALIAS', 'MATERIALIZED')
  AND c.table IN (
    SELECT t.name
    FROM system.tables AS t
    WHERE t.database = 'trackway' AND t.engine LIKE '%MergeTree' AND t.total_rows > 0
      AND t.name NOT LIKE 'schema_%' AND t.name != 'delivery_ledger'
  )
  AND c.table NOT IN (
    SELECT extract(v.create_table_query, ' TO trackway\\.(\\w+)')
    FROM system.tables AS v
    WHERE v.database = 'trackway' AND v.engine = 'MaterializedView'
  )
GROUP BY c.table
ORDER BY c.table
