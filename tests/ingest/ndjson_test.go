package ingest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/tests/harness"
)

// ingestAnswer is the body of every answer of POST /v1/ingest.
type ingestAnswer struct {
	Accepted int `json:"accepted"`
	Rejected int `json:"rejected"`
	Errors   []struct {
		Line  int    `json:"line"`
		Error string `json:"error"`
	} `json:"errors"`
	Error string `json:"error"`
	Limit string `json:"limit"`
	Max   int64  `json:"max"`
}

func ingest(t *testing.T, stack *harness.Stack, encoding, body string) (int, ingestAnswer) {
	t.Helper()
	status, text := post(t, stack.NDJSON+"/v1/ingest", "application/x-ndjson", encoding, compress(t, encoding, []byte(body)))
	var answer ingestAnswer
	require.NoErrorf(t, json.Unmarshal([]byte(text), &answer), "the answer is JSON: %s", text)
	return status, answer
}

// line is one NDJSON item from alternating keys and values.
func line(t *testing.T, pairs ...any) string {
	t.Helper()
	item := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		item[pairs[i].(string)] = pairs[i+1]
	}
	text, err := json.Marshal(item)
	require.NoError(t, err)
	return string(text) + "\n"
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// TestNDJSONFields sends one item of each type with every documented field, in
// each encoding, and compares every field with what the API answers.
func TestNDJSONFields(t *testing.T) {
	stack := harness.StartStack(t)
	at := time.Now().Add(-time.Minute).UTC().Truncate(time.Millisecond)
	for i, encoding := range []string{"", "gzip", "zstd"} {
		t.Run("encoding "+encoding, func(t *testing.T) {
			traceID := fmt.Sprintf("%032x", 0xabc0+i)
			service := fmt.Sprintf("api-%d", i)
			body := line(t, "type", "request", "ts", stamp(at), "service", service, "env", "prod", "release", "v1.4.2",
				"method", "GET", "route", "/projects/:id/tasks", "path", "/projects/7/tasks", "status", 500, "duration_ms", 812.4,
				"request_id", "r-81", "trace_id", traceID, "span_id", "00000000000000a1", "parent_span_id", "",
				"user_agent", "test/1", "client_ip", "192.0.2.7", "request_bytes", 310, "response_bytes", 92,
				"request_headers", map[string]string{"accept": "text/html"}, "response_headers", map[string]string{"x-cache": "miss"},
				"request_body", "in;'ü", "response_body", "out",
				"attributes", map[string]any{"plan": "enterprise", "n": 3, "ratio": 0.5, "flag": true},
				"correlation", map[string]string{"account_id": "acc_108", "user_id": "u_1137"},
				"error", map[string]string{"type": "TimeoutError", "message": "timed out", "stack": "at a\nat b"}) +
				line(t, "type", "span", "name", "SELECT tasks", "kind", "client", "ts", stamp(at.Add(time.Millisecond)), "duration_ms", 12.1,
					"trace_id", traceID, "span_id", "00000000000000a2", "parent_span_id", "00000000000000a1", "service", service,
					"status", "error", "attributes", map[string]any{"db": "pg"}) +
				line(t, "type", "event", "name", "order.paid", "ts", stamp(at.Add(2*time.Millisecond)), "severity", "info", "message", "paid; 'ü'",
					"service", service, "trace_id", traceID, "attributes", map[string]any{"amount": 12.5}, "correlation", map[string]string{"order_id": "o_9"})

			status, answer := ingest(t, stack, encoding, body)
			require.Equal(t, http.StatusOK, status, "%+v", answer)
			require.Equal(t, 3, answer.Accepted, "%+v", answer)

			var trace harness.Trace
			// The three items and the exception of the request; tables are filled one by one.
			require.Eventually(t, func() bool {
				_, err := stack.Get(t.Context(), "traces/"+traceID, nil, &trace)
				return err == nil && len(trace.Records) >= 4
			}, arrival, 100*time.Millisecond)
			byType := map[string]record.JSON{}
			for _, r := range trace.Records {
				if r.Type != "event" || r.Name == "order.paid" {
					byType[r.Type] = r
				}
			}
			checkRequest(t, byType["request"], service, traceID, at)

			span := byType["span"]
			assert.Equal(t, "SELECT tasks", span.Name)
			assert.Equal(t, "client", span.Kind)
			assert.Equal(t, "error", span.SpanStatus)
			assert.EqualValues(t, 12_100_000, span.Duration)
			assert.Equal(t, "00000000000000a1", span.ParentSpanID)
			assert.Equal(t, map[string]string{"db": "pg"}, span.Attributes)

			event := byType["event"]
			assert.Equal(t, "paid; 'ü'", event.Message)
			assert.EqualValues(t, 9, event.Severity)
			assert.Equal(t, "12.5", event.Attributes["amount"])
			assert.Equal(t, "o_9", event.Correlation["order_id"])
		})
	}
}

func checkRequest(t *testing.T, r record.JSON, service, traceID string, at time.Time) {
	t.Helper()
	assert.Equal(t, "http", r.Kind)
	assert.Equal(t, stamp(at), r.Time)
	assert.Equal(t, []string{service, "prod", "v1.4.2"}, []string{r.Service, r.Env, r.Release})
	assert.Equal(t, []string{"GET", "/projects/:id/tasks", "/projects/7/tasks"}, []string{r.Method, r.Route, r.Path})
	assert.EqualValues(t, 500, r.Status)
	assert.EqualValues(t, 812_400_000, r.Duration)
	assert.Equal(t, []string{traceID, "00000000000000a1", ""}, []string{r.TraceID, r.SpanID, r.ParentSpanID})
	assert.Equal(t, []string{"r-81", "test/1", "192.0.2.7"}, []string{r.RequestID, r.UserAgent, r.ClientIP})
	assert.EqualValues(t, []uint64{310, 92}, []uint64{r.RequestBytes, r.ResponseBytes})
	assert.Equal(t, "text/html", r.RequestHeaders["accept"])
	assert.Equal(t, "miss", r.ResponseHeaders["x-cache"])
	assert.Equal(t, []string{"in;'ü", "out"}, []string{r.RequestBody, r.ResponseBody})
	for key, want := range map[string]string{"plan": "enterprise", "n": "3", "ratio": "0.5", "flag": "true"} {
		assert.Equal(t, want, r.Attributes[key], key)
	}
	for key, want := range map[string]string{"account_id": "acc_108", "user_id": "u_1137", "request_id": "r-81"} {
		assert.Equal(t, want, r.Correlation[key], key)
	}
	assert.Equal(t, []string{"TimeoutError", "timed out", "at a\nat b"}, []string{r.ErrorType, r.ErrorMessage, r.ErrorStack})
}

// TestNDJSONBadLines mixes bad lines into good ones: each bad one is named with
// its line and what was wrong, the good ones are stored.
func TestNDJSONBadLines(t *testing.T) {
	stack := harness.StartStack(t)
	now := time.Now().UTC()
	good := func(i int) string {
		return line(t, "type", "request", "ts", stamp(now), "service", "good", "method", "GET", "route", "/ok", "status", 200, "duration_ms", i)
	}
	bad := []struct{ text, wants string }{
		{`{"type":"request","service":"bad","status":"abc"}` + "\n", `status`},
		{`{"type":"wish","service":"bad"}` + "\n", `type`},
		{`{"service":"bad"}` + "\n", `type`},
		{`{"type":"request","service":"bad"` + "\n", ``},
		{"[1,2]\n", ``},
		{`{"type":"request","service":"bad","trace_id":"xyz"}` + "\n", `trace_id`},
		{`{"type":"request","service":"bad","duration_ms":-5}` + "\n", `duration_ms`},
		{`{"type":"request","service":"bad","attributes":[1]}` + "\n", `attributes`},
		{`{"type":"event","name":"x","service":"bad","severity":"loud"}` + "\n", `severity`},
		{line(t, "type", "request", "service", "bad", "ts", stamp(now.Add(-60*24*time.Hour))), `ts`},
		{line(t, "type", "request", "service", "bad", "ts", "yesterday"), `ts`},
		{line(t, "type", "request", "service", "bad", "attributes", map[string]string{"k": strings.Repeat("x", 2<<20)}), ``},
	}
	var body strings.Builder
	for i, b := range bad {
		body.WriteString(good(i))
		body.WriteString(b.text)
	}
	body.WriteString("\n") // an empty line is nothing
	body.WriteString(strings.TrimSuffix(good(99), "\n"))

	status, answer := ingest(t, stack, "gzip", body.String())
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, len(bad)+1, answer.Accepted)
	assert.Equal(t, len(bad), answer.Rejected)
	if assert.Len(t, answer.Errors, len(bad), "%+v", answer.Errors) {
		for i, b := range bad {
			assert.Equal(t, 2*i+2, answer.Errors[i].Line, "%+v", answer.Errors[i])
			assert.Contains(t, answer.Errors[i].Error, b.wants)
			assert.NotEmpty(t, answer.Errors[i].Error)
			assert.Less(t, len(answer.Errors[i].Error), 500, "an error does not repeat the whole line")
		}
	}
	require.Eventually(t, func() bool {
		rows, err := stack.TryList("requests", "service = 'good'")
		return err == nil && len(rows) == len(bad)+1
	}, arrival, 100*time.Millisecond)
	assert.Empty(t, stack.List(t, "requests", "service = 'bad'"))
}

// TestNDJSONBadBodies wants a body that cannot be used refused as a whole, with
// a status that says whose turn it is, and the receiver to live on.
func TestNDJSONBadBodies(t *testing.T) {
	stack := harness.StartStack(t)
	address := stack.NDJSON + "/v1/ingest"
	item := `{"type":"request","service":"bodies","status":200}` + "\n"
	for _, c := range []struct {
		name, encoding string
		body           string
		status         int
		wants          string
	}{
		{"empty", "", "", http.StatusBadRequest, ""},
		{"nothing usable", "", "nonsense\nmore nonsense\n", http.StatusBadRequest, ""},
		{"not gzip", "gzip", item, http.StatusBadRequest, ""},
		{"cut gzip", "gzip", string(compress(t, "gzip", []byte(strings.Repeat(item, 1000)))[:60]), http.StatusBadRequest, ""},
		{"not zstd", "zstd", item, http.StatusBadRequest, ""},
		{"unknown compression", "br", item, http.StatusUnsupportedMediaType, "gzip"},
		{"too large", "", strings.Repeat(strings.Repeat(" ", 1000)+item, 22_000), http.StatusRequestEntityTooLarge, "max_request_bytes"},
		{"too large when inflated", "gzip", string(compress(t, "gzip", []byte(strings.Repeat(strings.Repeat(" ", 1000)+item, 22_000)))), http.StatusRequestEntityTooLarge, "max_request_bytes"},
		{"too many lines", "", strings.Repeat(item, 100_001), http.StatusRequestEntityTooLarge, "max_items"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, text := post(t, address, "application/x-ndjson", c.encoding, []byte(c.body))
			assert.Equal(t, c.status, status, text)
			assert.Contains(t, text, c.wants)
			var answer ingestAnswer
			assert.NoError(t, json.Unmarshal([]byte(text), &answer), "the answer is JSON: %s", text)
		})
	}
	res, err := http.Get(address)
	require.NoError(t, err)
	_ = res.Body.Close()
	assert.Equal(t, http.StatusMethodNotAllowed, res.StatusCode)

	status, answer := ingest(t, stack, "", item)
	require.Equal(t, http.StatusOK, status, "%+v", answer)
	require.Eventually(t, func() bool {
		rows, err := stack.TryList("requests", "service = 'bodies'")
		return err == nil && len(rows) == 1
	}, arrival, 100*time.Millisecond, "exactly the one good request")
}

// TestNDJSONTimes wants every form of ts read, an absent one marked, and one
// from a clock that is ahead clamped and marked.
func TestNDJSONTimes(t *testing.T) {
	stack := harness.StartStack(t)
	at := time.Now().Add(-time.Hour).UTC().Truncate(time.Second)
	forms := map[string]any{
		"rfc3339": stamp(at.Add(123456789)), "offset": at.In(time.FixedZone("", 3600)).Format(time.RFC3339),
		"s": at.Unix(), "ms": at.UnixMilli(), "us": at.UnixMicro(), "ns": at.UnixNano(),
	}
	var body strings.Builder
	for name, ts := range forms {
		body.WriteString(line(t, "type", "request", "service", "time-"+name, "ts", ts, "status", 200))
	}
	body.WriteString(line(t, "type", "request", "service", "time-absent", "status", 200))
	body.WriteString(line(t, "type", "request", "service", "time-ahead", "ts", stamp(time.Now().Add(24*time.Hour)), "status", 200))
	status, answer := ingest(t, stack, "", body.String())
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, len(forms)+2, answer.Accepted, "%+v", answer)

	var byService map[string]record.JSON
	require.Eventually(t, func() bool {
		rows, err := stack.TryList("requests", "")
		byService = map[string]record.JSON{}
		for _, r := range rows {
			byService[r.Service] = r
		}
		return err == nil && len(byService) == len(forms)+2
	}, arrival, 100*time.Millisecond)
	for name := range forms {
		want := at
		if name == "rfc3339" {
			want = at.Add(123456789)
		}
		assert.Equal(t, stamp(want), byService["time-"+name].Time, name)
		assert.Empty(t, byService["time-"+name].Marks, name)
	}
	assert.Contains(t, byService["time-absent"].Marks, "ts_absent")
	assert.Contains(t, byService["time-ahead"].Marks, "clamped")
	ahead, err := time.Parse(time.RFC3339Nano, byService["time-ahead"].Time)
	require.NoError(t, err)
	assert.True(t, ahead.Before(time.Now().Add(11*time.Minute)), "clamped to what the clock here allows")
}
