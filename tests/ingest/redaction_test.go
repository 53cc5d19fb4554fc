package ingest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/trackwayhq/trackway/tests/harness"
)

// secret must not be found anywhere after it was sent under a name that is
// masked by default.
const secret = "s3cr3t-0f-the-t3st"

// TestRedaction sends the secret in every place a request can carry one, and
// looks for it in every column of every table and in the live tail.
func TestRedaction(t *testing.T) {
	stack := harness.StartStack(t)
	tail := stack.OpenTail(t, "")
	body := line(t, "type", "request", "service", "redacted", "method", "POST", "route", "/login", "path", "/login?user=7&token="+secret, "status", 200,
		"request_headers", map[string]string{"Authorization": "Bearer " + secret, "cookie": "session=" + secret, "accept": "text/html"},
		"response_headers", map[string]string{"Set-Cookie": "session=" + secret},
		"request_body", `{"name":"visible","password":"`+secret+`","nested":{"api_key":"`+secret+`"}}`,
		"response_body", "grant=visible&access_token="+secret,
		"attributes", map[string]any{"password": secret, "user.api-key": secret, "plan": "visible", "db": map[string]any{"password": secret}},
		"correlation", map[string]string{"session_token": secret, "user_id": "u_1"}) +
		line(t, "type", "span", "name", "call", "service", "redacted", "attributes", map[string]any{"client_secret": secret, "url.full": "https://x.example/?q=visible&access_token=" + secret}) +
		line(t, "type", "event", "name", "login", "service", "redacted", "message", "visible", "attributes", map[string]any{"passwd": secret})
	status, answer := ingest(t, stack, "", body)
	require.Equal(t, http.StatusOK, status, "%+v", answer)
	require.Equal(t, 3, answer.Accepted, "%+v", answer)
	overHTTP("application/x-protobuf", "")(t, stack, secretSignals())

	require.Eventually(t, func() bool {
		requests, err := stack.TryList("requests", "")
		if err != nil || len(requests) != 2 {
			return false
		}
		events, err := stack.TryList("events", "")
		return err == nil && len(events) >= 3
	}, arrival, 100*time.Millisecond)

	tables := strings.Split(stack.ClickHouse.Query(t, "SELECT name FROM system.tables WHERE database = 'trackway' AND engine LIKE '%MergeTree' ORDER BY name"), "\n")
	require.Greater(t, len(tables), 8)
	for _, table := range tables {
		rows := stack.ClickHouse.Query(t, "SELECT * FROM trackway."+table+" FORMAT JSONEachRow")
		assert.NotContainsf(t, rows, secret, "table %s", table)
	}
	records, _, err := tail.Records()
	require.NoError(t, err)
	live, err := json.Marshal(records)
	require.NoError(t, err)
	assert.NotContains(t, string(live), secret, "live tail")

	request := stack.List(t, "requests", "service = 'redacted'")[0]
	assert.Equal(t, "text/html", request.RequestHeaders["accept"])
	assert.Equal(t, "visible", request.Attributes["plan"])
	assert.Contains(t, request.RequestBody, "visible", "what is no secret stays")
	assert.Contains(t, request.ResponseBody, "visible")
	assert.Contains(t, request.Attributes, "password", "the name of what was masked stays")
	assert.Equal(t, "u_1", request.Correlation["user_id"])
	assert.NotContains(t, request.Correlation, "session_token", "a masked value is never a key")
}

// secretSignals is a request with an exception, a log record with a structured
// body and no metric, all with the secret in them.
func secretSignals() signals {
	now := pcommon.NewTimestampFromTime(time.Now())
	traces := ptrace.NewTraces()
	rs := traces.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "redacted-otlp")
	rs.Resource().Attributes().PutStr("deploy.token", secret)
	scope := rs.ScopeSpans().AppendEmpty()
	scope.Scope().Attributes().PutStr("password", secret)
	s := scope.Spans().AppendEmpty()
	s.SetTraceID([16]byte{9, 15: 1})
	s.SetSpanID([8]byte{9, 7: 1})
	s.SetKind(ptrace.SpanKindServer)
	s.SetName("GET /x")
	s.SetStartTimestamp(now)
	s.SetEndTimestamp(now)
	s.Attributes().PutStr("http.request.method", "GET")
	s.Attributes().PutEmptySlice("http.request.header.authorization").AppendEmpty().SetStr("Bearer " + secret)
	s.Attributes().PutStr("url.query", "a=1&password="+secret)
	s.Attributes().PutEmptyMap("login").PutStr("password", secret)
	event := s.Events().AppendEmpty()
	event.SetName("attempt")
	event.SetTimestamp(now)
	event.Attributes().PutStr("password", secret)
	link := s.Links().AppendEmpty()
	link.SetTraceID([16]byte{1})
	link.SetSpanID([8]byte{1})
	link.Attributes().PutStr("password", secret)

	logs := plog.NewLogs()
	record := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	record.SetTimestamp(now)
	record.Body().SetEmptyMap().PutStr("password", secret)
	record.Attributes().PutStr("x-api-key", secret)
	return signals{ptraceotlp.NewExportRequestFromTraces(traces), plogotlp.NewExportRequestFromLogs(logs), pmetricotlp.NewExportRequest()}
}
