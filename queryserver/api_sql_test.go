package queryserver

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// sqlTime is when the records of the SQL tests begin.
var sqlTime = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// secret is in every text of the project that must not be seen.
const secret = "SECRET-of-other"

// newSQLStore has two projects, whose records lie in the same granules.
func newSQLStore(t *testing.T) *testStore {
	t.Helper()
	s := newTestStore(t)
	var records []record.Record
	for i := range 200 {
		trace, span := [16]byte{1, byte(i)}, [8]byte{2, byte(i)}
		base := record.Record{
			Project: "default", Time: sqlTime.Add(time.Duration(i) * time.Second), RID: uint64(i + 1), Service: "api", Env: "prod", Release: "v1",
			TraceID: trace, SpanID: span, Attributes: record.Pairs{{Key: "plan", Value: []string{"free", "pro"}[i%2]}, {Key: "n", Value: string(rune('0' + i%10))}, {Key: "body", Value: `{"a":{"b":7}}`}},
			Correlation: record.Pairs{{Key: "order_id", Value: "o_" + string(rune('a'+i%5))}}, Duration: uint64(i+1) * 1e6,
		}
		request := base
		request.Kind, request.SpanKind, request.Method, request.Route, request.Path, request.Status = record.Request, "http", "GET", "/a/:id", "/a/7", 200
		if i%10 == 0 {
			request.Status = 500
		}
		child := base
		child.Kind, child.Name, child.SpanID, child.ParentSpanID, child.RID = record.Span, "SELECT tasks", [8]byte{3, byte(i)}, span, uint64(i+1001)
		event := base
		event.Kind, event.Name, event.Severity, event.Message, event.RID = record.Event, "order.paid", 9, "7", uint64(i+2001)
		records = append(records, request, child, event)
	}
	for i := range 200 {
		for _, kind := range []record.Kind{record.Request, record.Span, record.Event} {
			records = append(records, record.Record{
				Project: "other", Kind: kind, Time: sqlTime.Add(time.Duration(i) * time.Second), RID: uint64(9000 + i), Service: secret, Env: secret, Release: secret,
				Name: secret, Method: secret, Route: "/" + secret, Path: "/" + secret, Status: 418, Severity: 23, Message: secret, TraceID: [16]byte{0xee, byte(i)}, SpanID: [8]byte{0xee},
				Attributes: record.Pairs{{Key: "plan", Value: secret}}, Correlation: record.Pairs{{Key: "order_id", Value: secret}}, Duration: 77e9, RequestBody: secret, ErrorMessage: secret,
			})
		}
	}
	s.insert(records...)
	return s
}

// sql posts a statement of the project default, and gives status and body. change may
// alter the request.
func (s *testStore) sql(query string, change ...func(*SQLRequest)) (int, string) {
	s.t.Helper()
	body := SQLRequest{Query: query}
	for _, c := range change {
		c(&body)
	}
	status, answer, _ := s.postSQL("default", body, "")
	return status, answer
}

func (s *testStore) postSQL(project string, body SQLRequest, accept string) (int, string, *http.Response) {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.api.URL+"/api/v1/projects/"+project+"/sql", bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		answer = append(answer, []byte("\n[broken off: "+err.Error()+"]")...)
	}
	return resp.StatusCode, string(answer), resp
}

// usefulStatements are what people would write, with the rows they get.
var usefulStatements = []struct{ name, query, rows string }{
	{"count", "SELECT count() FROM requests", `[["200"]]`},
	{"no table", "SELECT 1 + 1 AS two, 'it''s' AS text", `[[2,"it's"]]`},
	{"quantiles", "SELECT quantiles(0.5, 0.9)(duration_ms), round(avg(duration_ms), 1) FROM requests", `[[[100.5,180.1],100.5]]`},
	{"group", "SELECT status, count() AS n, countIf(attributes['plan'] = 'pro') FROM requests GROUP BY status ORDER BY n DESC", `[[200,"180","100"],[500,"20","0"]]`},
	{"case of names", "select COUNT(*), Sum(status) from requests where status >= 500", `[["20","10000"]]`},
	{"array join on maps", "SELECT k, uniqExact(v) FROM requests ARRAY JOIN mapKeys(attributes) AS k, mapValues(attributes) AS v GROUP BY k ORDER BY k", `[["body","1"],["n","10"],["plan","2"]]`},
	{"arrayJoin", "SELECT arrayJoin(mapKeys(correlation)) AS k, count() FROM events GROUP BY k", `[["order_id","200"]]`},
	{"window", "SELECT id != '', row_number() OVER w, duration_ms - lagInFrame(duration_ms) OVER w FROM requests WINDOW w AS (PARTITION BY route ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) ORDER BY ts LIMIT 2", `[[1,"1",1],[1,"2",1]]`},
	{"join by trace", "SELECT count(), any(s.name) FROM requests AS r JOIN spans AS s ON r.trace_id = s.trace_id AND s.parent_span_id = r.span_id WHERE r.status = 500", `[["20","SELECT tasks"]]`},
	{"left join", "SELECT countIf(e.id = '') FROM requests r LEFT JOIN (SELECT * FROM events WHERE severity > 20) e USING (trace_id)", `[["200"]]`},
	{"with", "WITH slow AS (SELECT trace_id FROM requests WHERE duration_ms > 150) SELECT count() FROM spans WHERE trace_id IN slow", `[["50"]]`},
	{"with in with", "WITH a AS (SELECT * FROM requests), b AS (SELECT * FROM a WHERE status = 500) SELECT (SELECT count() FROM b), count() FROM a", `[["20","200"]]`},
	{"in subquery", "SELECT count() FROM spans WHERE trace_id IN (SELECT trace_id FROM requests WHERE status = 500)", `[["20"]]`},
	{"in values", "SELECT count() FROM requests WHERE status IN (500, 503) AND service IN ('api')", `[["20"]]`},
	{"exists", "SELECT count() FROM requests WHERE EXISTS (SELECT 1 FROM events WHERE severity = 9)", `[["200"]]`},
	{"scalar", "SELECT (SELECT max(duration) FROM requests) - (SELECT min(duration) FROM requests)", `[["199000000"]]`},
	{"union", "SELECT * FROM (SELECT 'r' AS kind, count() AS n FROM requests UNION ALL SELECT 's', count() FROM spans) ORDER BY kind", `[["r","200"],["s","200"]]`},
	{"union distinct, except, intersect", "SELECT service FROM requests INTERSECT SELECT service FROM spans EXCEPT SELECT 'x'", ``},
	{"json", "SELECT DISTINCT JSONExtractInt(attributes['body'], 'a', 'b'), JSONExtract(attributes['body'], 'a', 'Map(String, Int8)') FROM requests", `[["7",{"b":7}]]`},
	{"dates", "SELECT toStartOfInterval(ts, INTERVAL 1 MINUTE) AS m, dateDiff('second', min(ts), max(ts)), count() FROM requests GROUP BY m ORDER BY m LIMIT 1", `[["2026-11-30T12:00:00Z","59","60"]]`},
	{"time literal", "SELECT count() FROM requests WHERE ts >= '2026-11-30 12:03:00' AND ts < toDateTime('2026-11-30 12:03:10', 'UTC')", `[["10"]]`},
	{"lambda", "SELECT arraySum(x -> x * 2, [1, 2, 3]), arrayFilter((k, v) -> v = 'pro', mapKeys(attributes), mapValues(attributes)) FROM requests ORDER BY ts LIMIT 1 OFFSET 1", `[["12",["plan"]]]`},
	{"case", "SELECT CASE WHEN status >= 500 THEN 'bad' ELSE 'good' END AS c, CASE method WHEN 'GET' THEN 1 ELSE 2 END AS g, count() FROM requests GROUP BY ALL ORDER BY c", `[["bad",1,"20"],["good",1,"180"]]`},
	{"cast", "SELECT CAST(attributes['n'] AS UInt8) AS n, attributes['n']::Nullable(Int32), toDecimal64('1.10', 2) FROM requests WHERE n = 3 LIMIT 1", `[[3,3,"1.1"]]`},
	{"conversion of text", "SELECT sum(toUInt8(message)) FROM events", `[["1400"]]`},
	{"rollup", "SELECT sum(requests), sumIf(requests, status >= 500), sum(weighted) FROM requests_by_minute WHERE minute < '2026-11-30 12:01:00'", `[["60","6",60]]`},
	{"hours", "SELECT sum(requests) FROM requests_by_hour", `[["200"]]`},
	{"latency", "SELECT sum(requests), min(from_ms) <= 1, max(to_ms) > 200 FROM latency_by_minute", `[["200",1,1]]`},
	{"latency by quarter and hour", "SELECT (SELECT sum(requests) FROM latency_by_quarter), (SELECT sum(requests) FROM latency_by_hour)", `[["200","200"]]`},
	{"journey", "SELECT count(), uniqExact(trace_id) FROM journey WHERE key = 'order_id' AND value = 'o_a'", `[["120","40"]]`},
	{"facets", "SELECT count() >= 0 FROM facets", `[[1]]`},
	{"grouping sets", "SELECT status, method, count() FROM requests GROUP BY GROUPING SETS ((status), (method)) ORDER BY count() DESC LIMIT 1", `[[0,"GET","200"]]`},
	{"rollup clause", "SELECT status, count() FROM requests GROUP BY status WITH ROLLUP ORDER BY count() DESC LIMIT 1", `[[0,"200"]]`},
	{"having, qualify", "SELECT status, count() AS n FROM requests GROUP BY status HAVING n > 10 QUALIFY row_number() OVER (ORDER BY n) = 1", `[[500,"20"]]`},
	{"limit by", "SELECT status FROM requests ORDER BY status LIMIT 1 BY status", `[[200],[500]]`},
	{"asterisk", "SELECT * EXCEPT (requests) FROM requests_by_hour WHERE status = 500", `[["2026-11-30T12:00:00Z","api","/a/:id","GET",500,20,"0","1920000000"]]`},
	{"columns", "SELECT COLUMNS('^(status|method)$') FROM requests WHERE status = 500 LIMIT 1", `[["GET",500]]`},
	{"numbers", "SELECT n.number, count() FROM numbers(3) AS n CROSS JOIN requests GROUP BY 1 ORDER BY 1", `[["0","200"],["1","200"],["2","200"]]`},
	{"values", "SELECT v.name, count() FROM values('status UInt16, name String', (200, 'ok'), (500, 'bad')) AS v JOIN requests USING (status) GROUP BY 1 ORDER BY 1", `[["bad","20"],["ok","180"]]`},
	{"fill", "SELECT toStartOfMinute(ts) AS m, count() FROM requests WHERE m != '2026-11-30 12:01:00' GROUP BY m ORDER BY m WITH FILL STEP INTERVAL 1 MINUTE LIMIT 2", `[["2026-11-30T12:00:00Z","60"],["2026-11-30T12:01:00Z","0"]]`},
	{"recursive", "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT groupArray(n) FROM t", `[[["1","2","3"]]]`},
	{"shadowed columns", "SELECT requests.status AS requests FROM requests WHERE status = 500 LIMIT 1", `[[500]]`},
	{"exact values", "SELECT 18446744073709551615 AS u, nan, toFloat32(1.5), NULL, true, toUUID('00000000-0000-0000-0000-000000000001'), unhex('ff')", `[["18446744073709551615","nan",1.5,null,true,"00000000-0000-0000-0000-000000000001","�"]]`},
	{"comments and semicolon", "/* a */ SELECT 1 -- b\n;", `[[1]]`},
	{"from first", "FROM requests SELECT count()", `[["200"]]`},
	{"aliases", "SELECT count() AS `how many`, \"max\"(status) AS \"größte\" FROM requests", `[["200",500]]`},
	{"uniqState", "SELECT uniqMerge(u) FROM (SELECT status, uniqState(trace_id) AS u FROM requests GROUP BY status)", `[["200"]]`},
	{"combinators", "SELECT sumIf(status, status > 400), uniqExactIf(route, status = 500), avgOrNullIf(status, 0), argMax(status, ts) FROM requests", `[["10000","1",null,200]]`},
	{"none", "SELECT id FROM requests WHERE status = 418", `[]`},
	{"ids", "SELECT r.id, r.trace_id, r.span_id, r.parent_span_id, length(r.error_group) FROM requests r ORDER BY ts LIMIT 1", `[["` + record.ID{Time: sqlTime, RID: 1}.String() + `","01000000000000000000000000000000","0200000000000000","","0"]]`},
}

func TestSQL(t *testing.T) {
	s := newSQLStore(t)
	for _, tc := range usefulStatements {
		t.Run(tc.name, func(t *testing.T) {
			status, body := s.sql(tc.query)
			var got struct{ Rows json.RawMessage }
			if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK {
				t.Fatalf("%d: %s", status, body)
			}
			if rows := string(got.Rows); rows != tc.rows && tc.rows != "" {
				t.Errorf("got  %s\nwant %s", rows, tc.rows)
			}
			if strings.Contains(body, secret) {
				t.Errorf("another project's text: %s", body)
			}
		})
	}
}
