package requesteventreceiver

import (
	"bytes"
	"strings"
	"testing"
)

// line700 is an ordinary request of 700 bytes with 17 attributes.
const line700 = `{"type":"request","ts":"2026-11-30T12:00:00.123Z","service":"api","env":"prod","release":"v1.4.2","method":"GET",` +
	`"route":"/projects/:id/tasks","path":"/projects/7/tasks","status":200,"duration_ms":812.4,"request_id":"r-81af",` +
	`"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331","parent_span_id":"","user_agent":"Mozilla/5.0 (X11; Linux x86_64) Chrome/131",` +
	`"client_ip":"192.0.2.17","request_bytes":310,"response_bytes":9200,"request_headers":{"accept":"application/json","content-type":"application/json"},` +
	`"response_headers":{"content-type":"application/json"},"attributes":{"plan":"enterprise","region":"eu-west-1","seats":12},` +
	`"correlation":{"account_id":"acc_108","user_id":"u_1137","order_id":"o_9"}}`

// What a line costs from the body's bytes to pdata, in bodies of 500 lines.
func BenchmarkLine(b *testing.B) {
	const lines = 500
	body := []byte(strings.Repeat(line700+"\n", lines))
	d := newDecoder()
	b.SetBytes(int64(len(line700)))
	b.ReportAllocs()
	var read *lineReader
	for n := 0; b.Loop(); n++ {
		if n%lines == 0 {
			d.reset(testLimits, testNow)
			read = newLineReader(bytes.NewReader(body), defaultMaxLineBytes, int64(len(body)), nil)
		}
		line, _, err := read.next()
		if err != nil {
			b.Fatal(err)
		}
		if _, lerr := d.decode(line); lerr != nil {
			b.Fatal(lerr)
		}
	}
}
