-- The user that statements of SQL mode run as on a ClickHouse server. The query server
-- is told by sql.username and sql.password, and sends the project as a setting; the
-- prefix SQL_ must be among custom_settings_prefixes of the server's configuration.
-- On a cluster, add ON CLUSTER to each statement, and repeat grants and policies for
-- the tables of trackway_local.
CREATE ROLE IF NOT EXISTS trackway_sql;
GRANT SELECT ON trackway.requests TO trackway_sql;
GRANT SELECT ON trackway.spans TO trackway_sql;
GRANT SELECT ON trackway.events TO trackway_sql;
GRANT SELECT ON trackway.journey TO trackway_sql;
GRANT SELECT ON trackway.cnt_m TO trackway_sql;
GRANT SELECT ON trackway.cnt_h TO trackway_sql;
GRANT SELECT ON trackway.lat_m TO trackway_sql;
GRANT SELECT ON trackway.lat_q TO trackway_sql;
GRANT SELECT ON trackway.lat_h TO trackway_sql;
GRANT SELECT ON trackway.facets TO trackway_sql;
-- Without the setting, reading fails. Users without a policy go on to see all rows.
CREATE ROW POLICY IF NOT EXISTS trackway_sql ON trackway.requests, trackway.spans, trackway.events, trackway.journey, trackway.cnt_m, trackway.cnt_h, trackway.lat_m, trackway.lat_q, trackway.lat_h, trackway.facets FOR SELECT USING project = getSetting('SQL_trackway_project') TO trackway_sql;
CREATE QUOTA IF NOT EXISTS trackway_sql KEYED BY user_name FOR INTERVAL 1 hour MAX queries = 100000, errors = 10000, read_bytes = 10995116277760, execution_time = 36000 TO trackway_sql;
CREATE SETTINGS PROFILE IF NOT EXISTS trackway_sql SETTINGS max_memory_usage = 1073741824 MAX 4294967296, max_execution_time = 30 MAX 300, allow_ddl = 0 TO trackway_sql;
-- Set the password here and in sql.password.
CREATE USER IF NOT EXISTS trackway_sql IDENTIFIED WITH sha256_password BY 'change me' DEFAULT ROLE trackway_sql SETTINGS PROFILE 'trackway_sql';
