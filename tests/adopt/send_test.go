package adopt_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type object = map[string]any

func text(key, value string) object { return object{"key": key, "value": object{"stringValue": value}} }
func number(key string, value int) object {
	return object{"key": key, "value": object{"intValue": fmt.Sprint(value)}}
}

// span is the i-th span of a test: requests, plain spans, with events and links,
// some with an exception, over several minutes.
func span(i int, base time.Time) object {
	start := base.Add(time.Duration(i)*137*time.Millisecond + 123*time.Nanosecond)
	s := object{
		"traceId": fmt.Sprintf("%032x", 1+i/4), "spanId": fmt.Sprintf("%016x", 1+i), "name": fmt.Sprintf("op %d", i%7),
		"startTimeUnixNano": fmt.Sprint(start.UnixNano()), "endTimeUnixNano": fmt.Sprint(start.UnixNano() + int64(i)*1_000_003),
		"kind": 1 + i%5, "traceState": "vendor=1", "status": object{"code": i % 3, "message": "it's \"so\""},
		"attributes": []object{text("plan", "pro"), number("n", i), text("odd", "a\tb'c\\d\nü"), text("correlation.user_id", fmt.Sprint("u_", i%50))},
	}
	if i%4 > 0 {
		s["parentSpanId"] = fmt.Sprintf("%016x", 1+i-i%4)
	}
	if i%4 == 1 {
		s["attributes"] = append(s["attributes"].([]object), text("http.request.method", "GET"), text("http.route", "/r/:id"),
			number("http.response.status_code", 200+100*(i%4)), text("url.path", fmt.Sprint("/r/", i)))
	}
	if i%3 == 0 {
		s["events"] = []object{
			{"timeUnixNano": fmt.Sprint(start.UnixNano() + 7), "name": "note", "attributes": []object{text("k", "v")}},
			{"timeUnixNano": fmt.Sprint(start.UnixNano() + 9), "name": "exception", "attributes": []object{
				text("exception.type", "TimeoutError"), text("exception.message", "late"), text("exception.stacktrace", "at a\nat b")}},
		}
	}
	if i%5 == 0 {
		s["links"] = []object{{"traceId": fmt.Sprintf("%032x", 77), "spanId": fmt.Sprintf("%016x", 78), "traceState": "x=y", "attributes": []object{text("why", "retry")}}}
	}
	return s
}

func resource(service string) object {
	return object{"attributes": []object{text("service.name", service), text("service.version", "v1"), text("host.name", "h'1")}}
}

func sendSpans(t *testing.T, endpoint string, base time.Time, from, to int) {
	t.Helper()
	var spans []object
	for i := from; i < to; i++ {
		spans = append(spans, span(i, base))
	}
	post(t, endpoint+"/v1/traces", object{"resourceSpans": []object{{"resource": resource("shop"), "scopeSpans": []object{
		{"scope": object{"name": "lib", "version": "1.2"}, "spans": spans}}}}})
}

func sendLogs(t *testing.T, endpoint string, base time.Time, n int) {
	t.Helper()
	var logs []object
	for i := range n {
		l := object{
			"timeUnixNano": fmt.Sprint(base.Add(time.Duration(i) * 211 * time.Millisecond).UnixNano()), "severityNumber": 1 + i%24, "severityText": "SOME",
			"body": object{"stringValue": fmt.Sprintf("line %d: it's \"odd\"; ü\n\tsecond", i)}, "attributes": []object{number("i", i), text("kind", "test")},
		}
		if i%2 == 0 {
			l["traceId"], l["spanId"], l["flags"] = fmt.Sprintf("%032x", 1+i), fmt.Sprintf("%016x", 1+i), 1
			l["eventName"] = "order.paid"
		}
		logs = append(logs, l)
	}
	// Two that are the same in everything are two all the same.
	logs = append(logs, logs[n-1])
	post(t, endpoint+"/v1/logs", object{"resourceLogs": []object{{"resource": resource("shop"), "scopeLogs": []object{
		{"scope": object{"name": "lib", "version": "1.2"}, "logRecords": logs}}}}})
}

func post(t *testing.T, url string, body object) {
	t.Helper()
	content, err := json.Marshal(body)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(content))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	answer, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode, "%s", answer)
}
