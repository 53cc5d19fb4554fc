package queryserver

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
)

// hostileStatements must be refused.
var hostileStatements = []string{
	// Tables by other names.
	"SELECT * FROM $DB.requests", "SELECT * FROM `$DB`.`requests`", "SELECT * FROM \"$DB\".requests", "SELECT * FROM `$DB.requests`",
	"SELECT * FROM merged", "SELECT * FROM $DB.merged", "SELECT * FROM $DB.buffer", "SELECT * FROM $DB.seen", "SELECT * FROM $DB.keyed", "SELECT * FROM $DB.book",
	"SELECT * FROM cnt_m", "SELECT * FROM trace_keys", "SELECT * FROM delivery_ledger", "SELECT * FROM Requests", "SELECT * FROM tables", "SELECT * FROM information_schema.tables",
	"SELECT * FROM INFORMATION_SCHEMA.COLUMNS", "SELECT * FROM system.processes", "SELECT * FROM system.query_log", "SELECT * FROM system.one", "SELECT * FROM system.functions",
	"SELECT * FROM requests, $DB.requests", "SELECT * FROM requests JOIN $DB.requests AS r ON r.rid != 0", "SELECT * FROM requests UNION ALL SELECT * FROM system.tables",
	"SELECT (SELECT groupArray(query) FROM system.processes)", "SELECT 1 WHERE 1 IN (SELECT rid FROM $DB.requests)", "SELECT * FROM (SELECT * FROM (SELECT * FROM $DB.requests))",
	"SELECT EXISTS (SELECT * FROM system.processes WHERE query LIKE '%x%')", "SELECT * FROM requests ARRAY JOIN (SELECT groupArray(query) FROM system.processes) AS q",
	"SELECT 'a' IN system.processes", "SELECT 'a' IN $DB.seen", "SELECT 1 IN tables", "SELECT 'a' NOT IN `$DB.keyed`", "SELECT in('a', tables)", "SELECT tuple('a') IN (SELECT tuple(query) FROM system.processes)",
	"SELECT 1 GLOBAL IN (SELECT 1)", "SELECT * FROM requests GLOBAL JOIN system.tables ON 1",
	// Columns that a table has besides those of its view.
	"SELECT project FROM requests", "SELECT requests.project FROM requests", "SELECT t.project FROM requests", "SELECT _part FROM requests", "SELECT _table FROM requests", "SELECT _partition_id, _part_offset FROM requests",
	"SELECT rid FROM requests", "SELECT ttl_days FROM requests", "SELECT unit FROM requests", "SELECT _row_exists FROM spans", "SELECT _database FROM requests",
	// Names that would shadow a view.
	"WITH requests AS (SELECT 1) SELECT * FROM requests", "WITH requests AS (SELECT * FROM $DB.requests) SELECT * FROM requests", "WITH RECURSIVE events AS (SELECT 1) SELECT * FROM events",
	"SELECT * FROM (WITH spans AS (SELECT * FROM spans) SELECT * FROM spans)", "WITH tables AS (SELECT 1) SELECT 1 UNION ALL SELECT (SELECT count() FROM columns)",
	"SELECT * FROM (WITH tables AS (SELECT 1) SELECT * FROM tables) AS a, tables", "SELECT * FROM (WITH columns AS (SELECT 1) SELECT 1) WHERE 1 IN columns",
	"WITH (SELECT 1) AS tables SELECT * FROM tables", "WITH 'system.processes' AS t SELECT * FROM t",
	// Settings, formats, files, more than one statement.
	"SELECT 1 SETTINGS readonly = 0", "SELECT * FROM requests SETTINGS additional_table_filters = {}", "SELECT * FROM (SELECT 1 SETTINGS max_rows_to_read = 0)", "WITH q AS (SELECT 1 SETTINGS max_threads = 1) SELECT * FROM q",
	"SELECT 1 FORMAT JSON", "SELECT 1 FORMAT Template SETTINGS format_template_row = '$FILE'", "SELECT 1 INTO OUTFILE '$FILE'", "SELECT 1 INTO OUTFILE '$FILE' APPEND FORMAT CSV", "SELECT 1 FROM INFILE '$FILE'",
	"SELECT 1; SELECT 2", "SELECT 1; DROP TABLE $DB.requests", "SET readonly = 0", "SET readonly = 0; SELECT 1", "SELECT 1 PARALLEL WITH SELECT 2", "SELECT 1;; SELECT * FROM system.processes",
	// Leaving the subquery it stands in.
	"SELECT 1) UNION ALL (SELECT query FROM system.processes", "SELECT 1) AS a, (SELECT * FROM $DB.requests", "SELECT 1) --", "SELECT 1) /*", "SELECT 1) SETTINGS readonly = 0 --", "SELECT 1 /* ) */ )", "SELECT 1)", "(SELECT 1", "SELECT 1 -- ' \n)",
	"SELECT 'a\\'') UNION ALL SELECT query FROM system.processes -- '", "SELECT $$a$$) --$$", "SELECT 1 # )\n)", "optimize = 1 SELECT 1", "graph = 1 SELECT 1", "run_passes = 1 SELECT 1",
	// Other statements.
	"EXPLAIN SELECT 1", "EXPLAIN AST SELECT 1", "EXPLAIN ESTIMATE SELECT * FROM $DB.requests", "SELECT * FROM (EXPLAIN SELECT * FROM requests)", "DESCRIBE requests", "DESCRIBE TABLE $DB.requests", "SHOW TABLES", "SHOW PROCESSLIST", "SHOW CREATE TABLE $DB.requests", "SHOW GRANTS",
	"INSERT INTO $DB.requests SELECT * FROM requests", "INSERT INTO FUNCTION file('$FILE') SELECT 1", "CREATE TEMPORARY TABLE t (a Int8)", "CREATE TABLE $DB.x ENGINE = Memory AS SELECT 1", "CREATE FUNCTION f AS x -> x", "CREATE VIEW v AS SELECT 1", "CREATE DATABASE hostile",
	"USE system", "KILL QUERY WHERE 1", "SYSTEM DROP MARK CACHE", "SYSTEM SHUTDOWN", "ATTACH TABLE $DB.x", "DETACH TABLE $DB.requests", "DROP TABLE $DB.requests", "TRUNCATE TABLE $DB.requests", "ALTER TABLE $DB.requests DELETE WHERE 1", "OPTIMIZE TABLE $DB.requests", "RENAME TABLE $DB.requests TO $DB.x",
	"GRANT ALL ON *.* TO default", "EXECUTE AS default SELECT 1", "BEGIN TRANSACTION", "BACKUP TABLE $DB.requests TO Disk('a', 'b')", "EXISTS TABLE $DB.requests", "CHECK TABLE $DB.requests", "WATCH requests", "DELETE FROM $DB.requests WHERE 1", "UPDATE $DB.requests SET path = '' WHERE 1", "COPY x", "",
	// Functions that reach elsewhere, by ways other than a plain call.
	"SELECT file('$FILE')", "SELECT `file`('$FILE')", "SELECT FILE('$FILE')", "SELECT file/**/('$FILE')", "SELECT arrayMap(file, ['$FILE'])", "SELECT arrayMap(x -> file(x), ['$FILE'])", "SELECT * APPLY(file) FROM requests", "SELECT * APPLY(x -> file('$FILE')) FROM requests", "SELECT COLUMNS('path') APPLY file FROM requests",
	"SELECT * REPLACE (file('$FILE') AS path) FROM requests", "SELECT fileIf('$FILE', 1)", "SELECT 1 ORDER BY 1 WITH FILL FROM file('$FILE')", "SELECT 1 LIMIT toUInt8(file('$FILE'))", "SELECT ts AS file FROM requests ORDER BY ts INTERPOLATE (file AS file('$FILE'))", "SELECT count() FILTER (WHERE file('$FILE') != '') FROM requests",
	"SELECT sum(1) OVER (PARTITION BY file('$FILE'))", "SELECT sum(1) OVER w FROM requests WINDOW w AS (ORDER BY file('$FILE'))", "SELECT quantile(file('$FILE'))(1)", "SELECT 1 GROUP BY GROUPING SETS ((file('$FILE')))", "SELECT DISTINCT ON (file('$FILE')) 1", "SELECT 1 LIMIT 1 BY file('$FILE')", "SELECT 1 QUALIFY file('$FILE') = ''",
	"SELECT arrayMap(`file`, ['$FILE'])", "WITH file AS (SELECT 1) SELECT arrayMap(file, ['$FILE'])", "SELECT arrayMap(file, ['$FILE']), 1 AS file", "SELECT arrayMap(file, ['$FILE']) FROM (SELECT 1 AS file)", "WITH file AS f SELECT arrayMap(f, ['$FILE'])", "SELECT arrayMap(requests.file, ['$FILE'])", "SELECT arraySort(file, ['$FILE'])", "SELECT mapApply(file, map('$FILE', 1))", "SELECT arrayMap(File, ['$FILE'])", "SELECT arrayMap(getSetting, ['max_threads'])", "SELECT arrayMap((file -> file), ['$FILE'])", "SELECT arrayFold(file, ['$FILE'], '')", "SELECT hostName", "SELECT user", "SELECT current_user", "SELECT SESSION_USER", "SELECT DATABASE", "SELECT SCHEMA", "SELECT current_database", "SELECT dummy", "SELECT _table", "SELECT COLUMNS(hostName)", "SELECT one.dummy", "SELECT system.one.dummy",
	"SELECT @@version", "SELECT @@max_allowed_packet", "SELECT USER", "SELECT CURRENT_USER()", "SELECT DATABASE()", "SELECT version()", "SELECT getSetting('additional_table_filters')", "SELECT getSettingOrDefault('log_comment', '')", "SELECT queryID(), initialQueryID()", "SELECT dictGet('$DB.book', 'v', 1)", "SELECT joinGet('$DB.keyed', 'v', 'a')", "SELECT spy_$DB('a')",
	"SELECT arrayReduce('sum', [1])", "SELECT initializeAggregation('sum', 1)", "SELECT formatRow('CSV', path) FROM requests", "SELECT hasColumnInTable('$DB', 'requests', 'project')", "SELECT * FROM requests WHERE indexHint(status = 418)", "SELECT evalMLMethod(1, 2)",
	// States of aggregate functions out of text, and types that are computed.
	"SELECT CAST(unhex('00') AS AggregateFunction(groupBitmap, UInt64))", "SELECT CAST('a', concat('Aggregate', 'Function(sum, UInt8)'))", "SELECT '00'::AggregateFunction(uniq, String)", "SELECT accurateCastOrNull('', 'AggregateFunction(sum, UInt8)')", "SELECT CAST('{}' AS JSON)", "SELECT CAST(1, path) FROM requests", "SELECT reinterpret('a', 'AggregateFunction(sum, UInt8)')",
	"SELECT * FROM values('a AggregateFunction(sum, UInt8)', '')", "SELECT * FROM values('a String DEFAULT file(''$FILE'')', '')", "SELECT * FROM values('a String', file('$FILE'))", "SELECT * FROM values('a String ALIAS query', 'a')", "SELECT * FROM values((SELECT query FROM system.processes LIMIT 1), 1)",
	// Table functions.
	"SELECT * FROM view(SELECT * FROM $DB.requests)", "SELECT * FROM merge('$DB', '.*')", "SELECT * FROM merge('requests')", "SELECT * FROM remote('127.0.0.1', $DB.requests)", "SELECT * FROM mergeTreeIndex('$DB', 'requests')", "SELECT * FROM executable('a', CSV, 'a String', (SELECT 1))", "SELECT * FROM url('file://$FILE', CSV, 'a String')", "SELECT * FROM url('http://127.0.0.1:1/', CSV, 'a String')",
	"SELECT * FROM format(CSV, 'a String', 'b')", "SELECT * FROM input('a String')", "SELECT * FROM dictionary('$DB.book')", "SELECT * FROM loop('$DB', 'requests')", "SELECT * FROM generateRandom('a UInt8 DEFAULT file(''$FILE'')')", "SELECT * FROM numbers_mt(10)", "SELECT * FROM '$FILE'", "SELECT * FROM \"$FILE\"", "SELECT * FROM viewIfPermitted(SELECT * FROM $DB.requests ELSE null('a String'))", "SELECT * FROM fuzzQuery('SELECT 1')",
	// Parameters.
	"SELECT {x:String}", "SELECT * FROM {x:Identifier}", "SELECT * FROM {trackway_project:Identifier}", "SELECT {trackway_project:String}", "SELECT {text:String}", "SELECT * FROM {x:Identifier}.requests", "SELECT {x:Identifier} FROM requests",
	// Names that look like something else where the statement is described.
	"SELECT 1 AS `a\nSelectQuery (children 1)`", "SELECT 1 AS `a (children 3)`", "SELECT 1 AS `a\\n  QUERY id: 9, is_cte: 1, cte_name: tables`, count() FROM tables", "SELECT \"a\nb\" FROM requests", "WITH `x\\ny` AS (SELECT 1) SELECT * FROM `x\\ny`", "SELECT COLUMNS('a\n    QUERY id: 9, is_cte: 1, cte_name: tables') FROM tables", "SELECT 1 AS `a'`", "SELECT 1 AS `a\\`b`", "SELECT 1 AS `a\u2028b`",
	// Clauses the views cannot have.
	"SELECT * FROM requests FINAL", "SELECT * FROM requests SAMPLE 0.1", "SELECT * FROM requests PREWHERE status = 418", "SELECT * FROM requests PREWHERE 1",
	// Too much of anything.
	"SELECT " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000), "SELECT 1" + strings.Repeat("+1", 20000), "SELECT * FROM " + strings.Repeat("(SELECT * FROM ", 500) + "requests" + strings.Repeat(")", 500),
	"SELECT [" + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + "]", "SELECT 'a\x00b'",
	"SELECT '" + strings.Repeat("x", 64<<10) + "'", "SELECT " + strings.Repeat("1 UNION ALL SELECT ", 3000) + "1", "SELECT 1 WHERE " + strings.Repeat("NOT ", 10000) + "1",
}

func init() {
	// Each common table expression names the one before twice.
	doubled := "WITH t0 AS (SELECT 1 AS id)"
	for i := range 20 {
		doubled += fmt.Sprintf(", t%d AS (SELECT a.id FROM t%d AS a, t%d AS b)", i+1, i, i)
	}
	hostileStatements = append(hostileStatements, doubled+" SELECT count() FROM t20", strings.ReplaceAll(doubled, "FROM t", "FROM requests, t")+" SELECT 1 FROM t20")
	sum := "SELECT 1 AS a0"
	for i := range 30 {
		sum += fmt.Sprintf(", a%d + a%d AS a%d", i, i, i+1)
	}
	hostileStatements = append(hostileStatements, sum)
}

// probes are allowed, and would fail, or answer something else, if an expression were
// tried on a row of the other project, in any place where rows are filtered, read or
// joined. Its messages are no numbers, its status is 418 alone, its severity 23 and its
// durations 77 s; granules hold rows of both.
var probes = map[string]string{
	"SELECT count() FROM events WHERE toUInt8(message) = 7":                                                                                   `[["200"]]`,
	"SELECT count() FROM events WHERE ts > '2026-11-30 00:00:00' AND toUInt8(message) > 3":                                                    `[["200"]]`,
	"SELECT sum(toUInt8(message)) FROM events":                                                                                                `[["1400"]]`,
	"SELECT count() FROM events GROUP BY toUInt8(message)":                                                                                    `[["200"]]`,
	"SELECT count() FROM events HAVING max(toUInt8(message)) = 7":                                                                             `[["200"]]`,
	"SELECT toUInt8(message) FROM events ORDER BY toUInt8(message) LIMIT 1":                                                                   `[[7]]`,
	"SELECT message FROM events ORDER BY severity DESC LIMIT 1":                                                                               `[["7"]]`,
	"SELECT duration FROM requests ORDER BY duration DESC LIMIT 1":                                                                            `[["200000000"]]`,
	"SELECT status FROM requests ORDER BY status LIMIT 1":                                                                                     `[[200]]`,
	"SELECT DISTINCT toUInt8(message) FROM events":                                                                                            `[[7]]`,
	"SELECT toUInt8(message) FROM events LIMIT 1 BY toUInt8(message)":                                                                         `[[7]]`,
	"SELECT count() FROM events AS a JOIN events AS b ON toUInt8(a.message) = toUInt8(b.message) AND a.id = b.id":                             `[["200"]]`,
	"SELECT count() FROM requests AS a JOIN events AS b ON intDiv(7, a.status - 418) = intDiv(7, b.severity - 23) OR a.trace_id = b.trace_id": `[["40000"]]`,
	"SELECT count() FROM spans WHERE trace_id IN (SELECT trace_id FROM events WHERE toUInt8(message) = 7)":                                    `[["200"]]`,
	"SELECT count() FROM events WHERE toUInt8(message) IN (SELECT toUInt8(message) FROM events)":                                              `[["200"]]`,
	"SELECT count() FROM requests WHERE intDiv(1, status - 418) < 5":                                                                          `[["200"]]`,
	"SELECT count() FROM requests WHERE intDiv(1, duration - 77000000000) >= 0":                                                               `[["200"]]`,
	"SELECT count() FROM requests WHERE intDiv(1, duration - 77000000000) >= 0 AND duration > 0":                                              `[["200"]]`,
	"SELECT count() FROM events WHERE intDiv(1, severity - 23) = 0":                                                                           `[["200"]]`,
	"SELECT sum(requests) FROM requests_by_minute WHERE intDiv(1, status - 418) < 5":                                                          `[["200"]]`,
	"SELECT sum(requests) FROM requests_by_hour WHERE intDiv(1, status - 418) < 5":                                                            `[["200"]]`,
	"SELECT count() FROM journey WHERE toUInt8(value = 'o_a') < 2 AND toUInt32(replaceRegexpAll(value, 'o_.', '1')) = 1":                      `[["600"]]`,
	"SELECT count() FROM requests WHERE toUInt32(attributes['n']) < 10":                                                                       `[["200"]]`,
	"SELECT uniqExact(service), min(status), max(status), any(env) FROM requests":                                                             `[["1",200,500,"prod"]]`,
	"SELECT min(ts) = max(ts) FROM requests WHERE status = 418":                                                                               `[[1]]`,
	"SELECT count() FROM requests WHERE status = 418 OR 1":                                                                                    `[["200"]]`,
	"SELECT sum(x) OVER () FROM (SELECT toUInt8(message) AS x FROM events) LIMIT 1":                                                           `[["1400"]]`,
	"SELECT count() FROM requests WHERE has(facet_items, reverse('rehto-fo-TERCES=nalp'))":                                                    `[["0"]]`,
	"SELECT topK(3)(service), groupUniqArray(release), groupUniqArray(name) FROM requests":                                                    `[[["api"],["v1"],[""]]]`,
	"SELECT count() FROM (SELECT * FROM requests UNION ALL SELECT * FROM requests)":                                                           `[["400"]]`,
	"SELECT count() FROM requests AS requests, requests AS r2 WHERE requests.id = r2.id":                                                      `[["200"]]`,
	"SELECT count() FROM (SELECT service FROM requests EXCEPT SELECT 'api')":                                                                  `[["199"]]`,
	"SELECT COLUMNS('.*')":                                `[[0]]`, // of a table of the engine with one row
	"WITH tables AS (SELECT 1 AS x) SELECT * FROM tables": `[[1]]`,
	"WITH t AS (SELECT * FROM requests) SELECT count() FROM (WITH t AS (SELECT 1) SELECT * FROM t)": `[["1"]]`,
	"SELECT 'SELECT * FROM system.processes', '; DROP TABLE x', '{x:Identifier}', 'a\\'b) --'":      `[["SELECT * FROM system.processes","; DROP TABLE x","{x:Identifier}","a'b) --"]]`,
	"SELECT count() FROM requests -- SETTINGS readonly = 0":                                         `[["200"]]`,
	"SELECT count() /* ; DROP TABLE x */ FROM requests;":                                            `[["200"]]`,
}

// Statements written to get out are refused, and leave everything as it was.
func TestSQLIsolationHostile(t *testing.T) {
	b := newBesieged(t)
	each(hostileStatements, func(statement string) {
		if status, body := b.try(statement); status != http.StatusBadRequest {
			t.Errorf("%.300s: %d: %.500s", statement, status, body)
		}
	})
	for statement, rows := range probes {
		if status, body := b.try(statement); status != http.StatusOK || !strings.Contains(body, `"rows":`+rows) {
			t.Errorf("%s: %d: %.500s\nwant rows %s", statement, status, body, rows)
		}
	}
	if got := b.names("SELECT toString(count()) FROM " + b.database + ".requests"); len(got) != 1 || got[0] != "400" {
		t.Errorf("the table has %v requests, want 400", got)
	}
	t.Logf("%d statements refused, %d probes", len(hostileStatements), len(probes))
}

// mutations is how many statements are spliced together of the others.
const mutations = 600

var word = regexp.MustCompile(`[A-Za-z_$][A-Za-z0-9_.$]*|'[^']*'|\d+|\s+|.`)

// Pieces of hostile and of harmless statements, put together at random, get no further.
func TestSQLIsolationMutations(t *testing.T) {
	b := newBesieged(t)
	var all [][]string
	for _, statement := range hostileStatements {
		if len(statement) < 500 && statement != "" {
			all = append(all, word.FindAllString(statement, -1))
		}
	}
	hostile := len(all)
	for _, statement := range slices.Sorted(maps.Keys(probes)) {
		all = append(all, word.FindAllString(statement, -1))
	}
	for _, statement := range usefulStatements {
		all = append(all, word.FindAllString(statement.query, -1))
	}
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	pick := func() []string { return all[random.IntN(len(all))] }
	// kin is a word of another statement of the same kind as this one: a name for a
	// name, a blank for a blank.
	kin := func(like string) string {
		for range 100 {
			other := pick()
			if w := other[random.IntN(len(other))]; unicode.IsLetter(rune(w[0])) == unicode.IsLetter(rune(like[0])) && (w[0] == ' ') == (like[0] == ' ') && len(w) > 1 == (len(like) > 1) {
				return w
			}
		}
		return like
	}
	var statements []string
	for range mutations {
		words := slices.Clone(pick())
		if random.IntN(4) > 0 {
			words = slices.Clone(all[hostile+random.IntN(len(all)-hostile)])
		}
		for range 1 + random.IntN(2) {
			at := random.IntN(len(words))
			other := pick()
			from := random.IntN(len(other))
			switch random.IntN(8) {
			case 0: // a piece of another in place of a word
				words = slices.Replace(words, at, at+1, other[from:from+random.IntN(len(other)-from)+1]...)
			case 1: // behind a word
				words = slices.Insert(words, at, other[from:from+random.IntN(len(other)-from)+1]...)
			case 2:
				words = slices.Insert(words, at, "(", strings.Join(other, ""), ")")
			default:
				words[at] = kin(words[at])
			}
		}
		statements = append(statements, strings.Join(words, ""))
	}
	var ran atomic.Int64
	each(statements, func(statement string) {
		if len(statement) <= 8000 {
			if status, _ := b.try(statement, func(r *SQLRequest) { r.Limits.TimeMS = 5000 }); status == http.StatusOK {
				ran.Add(1)
			}
		}
	})
	t.Logf("seed %d: %d statements, %d ran", seed, len(statements), ran.Load())
	if ran.Load() == 0 {
		t.Error("all were refused: the mutations are too wild to find anything")
	}
}

// The same statements in the other project see the other project alone.
func TestSQLIsolationOfTheOtherProject(t *testing.T) {
	s := newSQLStore(t)
	for _, query := range []string{"SELECT count(), uniqExact(service), max(status) FROM requests", "SELECT sum(requests), 1, max(status) FROM requests_by_minute"} {
		status, body, _ := s.postSQL("other", SQLRequest{Query: query}, "")
		if status != http.StatusOK || !strings.Contains(body, `"rows":[["200",`) || !strings.Contains(body, `418]]`) {
			t.Errorf("%s: %d: %s", query, status, body)
		}
	}
	// A condition that matched nothing here has not been answered for the other.
	for range 3 {
		for project, want := range map[string]string{"default": `[["0"]]`, "other": `[["200"]]`} {
			query := SQLRequest{Query: "SELECT count() FROM requests WHERE path LIKE '%of-other%' AND duration > 0"}
			if status, body, _ := s.postSQL(project, query, ""); status != http.StatusOK || !strings.Contains(body, `"rows":`+want) {
				t.Errorf("%s: %d: %s", project, status, body)
			}
		}
	}
	if status, body, _ := s.postSQL("nobody", SQLRequest{Query: "SELECT 1"}, ""); status != http.StatusNotFound {
		t.Errorf("a project that is not there: %d: %s", status, body)
	}
}
