package ingest_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// slowLimit is how long a connection may be held by who does not get on with it.
const slowLimit = 90 * time.Second

// slowSenders hold connections: each is cut off by the collector in time.
type slowSenders struct {
	mu    sync.Mutex
	done  sync.WaitGroup
	ended map[string]error
}

func startSlowSenders(t *testing.T, stack *harness.Stack) *slowSenders {
	t.Helper()
	s := &slowSenders{ended: map[string]error{}}
	head := "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\n"
	for name, c := range map[string]struct{ address, first string }{
		"NDJSON headers without end": {stack.NDJSON, fmt.Sprintf(head, "/v1/ingest", "application/x-ndjson")},
		"NDJSON body without end":    {stack.NDJSON, fmt.Sprintf(head, "/v1/ingest", "application/x-ndjson") + "Content-Length: 1000\r\n\r\n{"},
		"NDJSON chunks without end":  {stack.NDJSON, fmt.Sprintf(head, "/v1/ingest", "application/x-ndjson") + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"},
		"OTLP headers without end":   {stack.OTLPHTTP, fmt.Sprintf(head, "/v1/traces", protobuf)},
		"OTLP body without end":      {stack.OTLPHTTP, fmt.Sprintf(head, "/v1/traces", protobuf) + "Content-Length: 1000\r\n\r\nx"},
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.address, "http://"))
		require.NoError(t, err)
		_, err = io.WriteString(conn, c.first)
		require.NoError(t, err)
		s.done.Go(func() {
			defer func() { _ = conn.Close() }()
			_ = conn.SetReadDeadline(time.Now().Add(slowLimit))
			_, err := io.Copy(io.Discard, conn) // until the collector closes it
			s.mu.Lock()
			defer s.mu.Unlock()
			s.ended[name] = err
		})
	}
	return s
}

func (s *slowSenders) wait(t *testing.T) {
	t.Helper()
	s.done.Wait()
	for name, err := range s.ended {
		var timeout net.Error
		assert.False(t, errors.As(err, &timeout) && timeout.Timeout(), "%s: the connection was held for %s", name, slowLimit)
	}
}
