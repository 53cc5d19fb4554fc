package httpapi_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/engine/enginetest"
)

// secret is in a file that no statement may show.
const secret = "hidden,words"

// TestFilesAreOutOfReach tries every way to a file of the account.
func TestFilesAreOutOfReach(t *testing.T) {
	server := enginetest.Start(t)
	outside := t.TempDir()
	hidden := filepath.Join(outside, "hidden.csv")
	require.NoError(t, os.WriteFile(hidden, []byte(secret+"\n"), 0o600))
	server.Exec(t, "CREATE TABLE words (a String) ENGINE = Memory")
	encoded := strings.ReplaceAll(hidden, "/", `\x2F`)
	escaped := `file(\'` + hidden + `\')`
	for _, statement := range []string{
		"SELECT * FROM file('HIDDEN')", "SELECT * FROM file('HIDDEN', CSV, 'a String, b String')", "SELECT * FROM \"file\"('HIDDEN')", "SELECT * FROM `fi\\x6ce`('HIDDEN')",
		"SELECT * FROM file /* a */ ($x$HIDDEN$x$)", "SELECT * FROM file('" + encoded + "')", "SELECT * FROM file(concat('', 'HIDDEN'))",
		"SELECT file('HIDDEN')", "SELECT file\u00a0('HIDDEN')", "SELECT \u2003file('HIDDEN')", "SELECT “file”('HIDDEN')", "SELECT ‘ ' ’, file('HIDDEN') -- '",
		"INSERT INTO words VALUES (file\u00a0('HIDDEN'))", "INSERT INTO words VALUES (“file”('HIDDEN'))", "INSERT INTO words VALUES (‘ ' ’ || file('HIDDEN')) -- '",
		"SELECT (SELECT any(x) FROM (SELECT file('HIDDEN') AS x))", "SELECT catboostEvaluate('HIDDEN', 1)",
		"SELECT * FROM 'HIDDEN'", "SELECT * FROM `HIDDEN`", "SELECT * FROM default.`HIDDEN`", "SELECT * FROM words, `HIDDEN`", "SELECT * FROM merge('default', 'HIDDEN')",
		"DESCRIBE `HIDDEN`", "SELECT 'hidden' IN `HIDDEN`",
		"SELECT * FROM url('file://HIDDEN')", "SELECT * FROM url('FILE://HIDDEN', CSV)", "SELECT * FROM url('file://HIDDEN', CSV, 'a String, b String')",
		"SELECT * FROM filesystem('DIR')", "SELECT * FROM sqlite('HIDDEN', 'a')", "SELECT * FROM fileCluster('default', 'HIDDEN')",
		"SELECT * FROM icebergLocal('DIR')", "SELECT * FROM deltaLakeLocal('DIR')", "SELECT * FROM paimonLocal('DIR')", "SELECT * FROM executable('cat HIDDEN', CSV, 'a String')",
		"SELECT * FROM remote('127.0.0.1', file('HIDDEN'))", "SELECT * FROM view(SELECT file('HIDDEN'))",
		`SELECT * FROM format(JSONEachRow, 'a String, b String DEFAULT ` + escaped + `', '{"a":"1"}')`,
		"SELECT 1 SETTINGS additional_result_filter = '" + escaped + " = 1'",
		"SELECT * FROM eval('SELECT " + escaped + "') SETTINGS allow_experimental_eval_table_function = 1",
		"INSERT INTO words SELECT " + "file('HIDDEN')", "INSERT INTO words VALUES (file('HIDDEN'))", "INSERT INTO words FORMAT Values ('file('), (upper(`file` /* a */ ('HIDDEN')))",
		"SELECT 1 SETTINGS input_format_values_interpret_expressions = 1", "INSERT INTO words SELECT a FROM input('a String') x, `HIDDEN` y FORMAT CSV\nz",
		"INSERT INTO FUNCTION file('DIR/new', 'CSV', 'a Int8') SELECT 1", "INSERT INTO FUNCTION url('file://DIR/new', CSV, 'a Int8') SELECT 1", "INSERT INTO FUNCTION file('DIR/new', 'CSV', 'a Int8') VALUES (1)",
		"SELECT 1 INTO OUTFILE 'DIR/new'", "EXPLAIN SELECT 1 INTO OUTFILE 'DIR/new'", "SHOW TABLES INTO OUTFILE 'DIR/new'", "CHECK TABLE words INTO OUTFILE 'DIR/new'",
		"CREATE TABLE f (a String, b String) ENGINE = File(CSV, 'HIDDEN')", "CREATE TABLE f (a String) ENGINE = File", "CREATE TABLE f (a String) ENGINE = URL('file://HIDDEN', CSV)",
		"CREATE TABLE f (a String) ENGINE = FileLog('DIR', 'CSV')", "CREATE TABLE f (a String) ENGINE = SQLite('DIR/new', 'a')", "CREATE TABLE f (a Int8) ENGINE = EmbeddedRocksDB(0, 'DIR/new') PRIMARY KEY a",
		"CREATE TABLE f (a String) ENGINE = Executable('cat', CSV)", "CREATE TABLE f (a String) ENGINE = ExecutablePool('cat', CSV)", "CREATE TABLE f ENGINE = IcebergLocal('DIR')",
		"CREATE TABLE f ENGINE = DeltaLakeLocal('DIR')", "CREATE TABLE f ENGINE = PaimonLocal('DIR')", "CREATE TABLE f (a String DEFAULT file('HIDDEN')) ENGINE = Memory",
		"CREATE TABLE f (a Int8) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = 'local', path = 'DIR/new/')",
		"CREATE VIEW f SQL SECURITY DEFINER AS SELECT * FROM `HIDDEN`", "CREATE FUNCTION f AS () -> file('HIDDEN')",
		"CREATE DATABASE f ENGINE = Filesystem('DIR')", "CREATE DATABASE f ENGINE = SQLite('DIR/new')", "ATTACH DATABASE f ENGINE = SQLite('DIR/new')",
		"CREATE DATABASE f ENGINE = DataLakeCatalog('http://127.0.0.1:1')", "CREATE DATABASE f ENGINE = Backup('default', File('DIR'))",
		"CREATE DICTIONARY f (a String) PRIMARY KEY a SOURCE(FILE(PATH 'HIDDEN' FORMAT CSV)) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0)",
		"CREATE DICTIONARY f (a String) PRIMARY KEY a SOURCE(EXECUTABLE(COMMAND 'cat HIDDEN' FORMAT CSV)) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0)",
		"CREATE DICTIONARY f (a String) PRIMARY KEY a SOURCE(CLICKHOUSE(QUERY 'SELECT " + escaped + "')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0)",
		"CREATE NAMED COLLECTION f AS path = 'HIDDEN'", "ATTACH TABLE f FROM 'DIR' (a Int8) ENGINE = MergeTree ORDER BY a",
		"BACKUP TABLE words TO File('DIR/new')", "BACKUP TABLE words TO Disk('default', 'new')", "RESTORE TABLE words FROM File('DIR')",
		"SELECT 1 FORMAT CapnProto SETTINGS format_schema = 'HIDDEN:a'", "SET format_schema = 'DIR/../a'", "GRANT READ ON FILE TO default",
	} {
		statement = strings.NewReplacer("HIDDEN", hidden, "DIR", outside).Replace(statement)
		response := do(t, server, http.MethodPost, "/", statement)
		text := read(t, response)
		assert.NotEqual(t, http.StatusOK, response.StatusCode, "%s\n%s", statement, text)
		assert.NotContains(t, text, secret, statement)
	}
	// A dictionary's query is run when the dictionary is first used.
	server.Exec(t, "CREATE DICTIONARY late (a String, b String) PRIMARY KEY a SOURCE(CLICKHOUSE(QUERY 'SELECT * FROM `"+hidden+"`')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0)")
	response := do(t, server, http.MethodPost, "/", "SELECT * FROM late")
	require.NotContains(t, read(t, response), "hidden")
	require.NotEqual(t, http.StatusOK, response.StatusCode)

	for _, values := range [][]string{
		{"additional_result_filter", "file('" + hidden + "') = 1"}, {"format_schema", hidden + ":a"}, {"param_x", "SELECT file('" + hidden + "')"},
	} {
		response := do(t, server, http.MethodPost, target(values...), "SELECT * FROM eval({x:String}) SETTINGS allow_experimental_eval_table_function = 1")
		require.NotContains(t, read(t, response), secret)
		require.NotEqual(t, http.StatusOK, response.StatusCode, values)
	}

	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is written outside")
	require.Empty(t, server.Query(t, "SELECT * FROM words"))
}

func TestWordsOfFilesAreNoFiles(t *testing.T) {
	server := enginetest.Start(t)
	for statement, want := range map[string]string{
		"SELECT 'file(1)', $$file(2)$$ -- file('/etc/passwd')":   "file(1)\tfile(2)\n",
		"SELECT '“file”(1)', 'é' AS `é”`":                        "“file”(1)\té\n",
		"SELECT 1 AS file /* file('x') */":                       "1\n",
		"SELECT path('http://a/b'), upper('sqlite(1)')":          "/b\tSQLITE(1)\n",
		"SELECT * FROM format(CSV, 'a String', 'my file')":       "my file\n",
		"SELECT * FROM format(CSV, 'a Enum8(\\'x\\' = 1)', 'x')": "x\n",
	} {
		require.Equal(t, want, read(t, do(t, server, http.MethodPost, "/", statement)), statement)
	}
	server.Exec(t, "CREATE TABLE words (a String) ENGINE = Memory")
	server.Exec(t, "INSERT INTO words VALUES ('file(1)'), (upper('sqlite(1)')), ('it''s “é” \\'file(1)') -- é")
	require.Equal(t, "3\n", server.Query(t, "SELECT count() FROM words"))
	refused := do(t, server, http.MethodPost, "/", "SELECT * FROM file('/etc/passwd')")
	require.Equal(t, "291", refused.Header.Get("X-ClickHouse-Exception-Code"))
	require.Contains(t, read(t, refused), "(DATABASE_ACCESS_DENIED)")
	for _, statement := range []string{"DROP DATABASE default", "DETACH DATABASE IF EXISTS `default`"} {
		require.Contains(t, read(t, do(t, server, http.MethodPost, "/", statement)), "(UNSUPPORTED_METHOD)")
	}
}

// harmless are what reaches no file of the account: data in the statement, the
// store, other machines. One that a new engine brings is in neither list: find
// out what it reads, then put it here or into engine/users.xml and fileCalls.
var harmless = map[string]string{
	"table_functions":  "SQLStandardValues arrowstream azureBlobStorage azureBlobStorageCluster cluster clusterAllReplicas cosn deltaLake deltaLakeAzure deltaLakeAzureCluster deltaLakeCluster deltaLakeS3 deltaLakeS3Cluster dictionary eval format fuzzJSON fuzzQuery gcs generateRandom generateSeries generate_series hdfs hdfsCluster hudi hudiCluster iceberg icebergAzure icebergAzureCluster icebergCluster icebergHDFS icebergHDFSCluster icebergS3 icebergS3Cluster input jdbc loop merge mergeTreeAnalyzeIndexes mergeTreeAnalyzeIndexesUUID mergeTreeIndex mergeTreeProjection mergeTreeTextIndex mongodb mysql null numbers numbers_mt odbc oss paimon paimonAzure paimonAzureCluster paimonCluster paimonHDFS paimonHDFSCluster paimonS3 paimonS3Cluster postgresql primes prometheusQuery prometheusQueryRange redis remote remoteSecure s3 s3Cluster timeSeriesData timeSeriesMetrics timeSeriesSamples timeSeriesSelector timeSeriesTags url urlCluster values view viewExplain viewIfPermitted ytsaurus zeros zeros_mt",
	"table_engines":    "AggregatingMergeTree Alias ArrowStream AzureBlobStorage AzureQueue Buffer COSN CoalescingMergeTree CollapsingMergeTree DeltaLake DeltaLakeAzure DeltaLakeS3 Dictionary Distributed EmbeddedRocksDB FuzzJSON FuzzQuery GCS GenerateRandom GraphiteMergeTree HDFS Hudi Iceberg IcebergAzure IcebergHDFS IcebergS3 JDBC Join Kafka KeeperMap Log Loop MaterializedPostgreSQL MaterializedView Memory Merge MergeTree MongoDB MySQL Null ODBC OSS Paimon PaimonAzure PaimonHDFS PaimonS3 PostgreSQL QueryRunner Redis Remote RemoteSecure ReplacingMergeTree ReplicatedAggregatingMergeTree ReplicatedCoalescingMergeTree ReplicatedCollapsingMergeTree ReplicatedGraphiteMergeTree ReplicatedMergeTree ReplicatedReplacingMergeTree ReplicatedSummingMergeTree ReplicatedVersionedCollapsingMergeTree S3 S3Queue Set StripeLog SummingMergeTree TimeSeries TinyLog URL VersionedCollapsingMergeTree View WindowView YTsaurus",
	"database_engines": "Atomic Dictionary HDFS MaterializedPostgreSQL Memory MySQL Ordinary PostgreSQL Replicated S3",
}

// confined are those that the user has no right to, or whose calls are refused.
var confined = map[string]string{
	"table_functions":  "executable file fileCluster filesystem sqlite icebergLocal icebergLocalCluster deltaLakeLocal paimonLocal",
	"table_engines":    "File FileLog SQLite Executable ExecutablePool IcebergLocal DeltaLakeLocal PaimonLocal",
	"database_engines": "Backup DataLakeCatalog Filesystem SQLite",
}

func TestEveryFunctionAndEngineIsJudged(t *testing.T) {
	server := enginetest.Start(t)
	grants := server.Query(t, "SHOW GRANTS")
	for _, table := range []string{"table_functions", "table_engines", "database_engines"} {
		judged := append(strings.Fields(harmless[table]), strings.Fields(confined[table])...)
		for _, name := range strings.Fields(server.Query(t, "SELECT name FROM system."+table)) {
			assert.True(t, slices.Contains(judged, name), "%s in system.%s is new: does it reach files?", name, table)
		}
		for _, name := range strings.Fields(confined[table]) {
			if table == "table_functions" {
				text := read(t, do(t, server, http.MethodPost, "/", "SELECT * FROM "+name+"('/')"))
				assert.Contains(t, text, "DATABASE_ACCESS_DENIED", name)
				continue
			}
			assert.Contains(t, grants, "REVOKE TABLE ENGINE ON "+name+" ", name)
		}
	}
	// Scalar functions that read files are known by the words of their descriptions.
	for _, name := range strings.Fields(server.Query(t, "SELECT name FROM system.functions WHERE positionCaseInsensitive(description || arguments, 'user_files') > 0 OR positionCaseInsensitive(description, 'reads a file') > 0")) {
		assert.Contains(t, []string{"file", "catboostEvaluate"}, name)
	}
}
