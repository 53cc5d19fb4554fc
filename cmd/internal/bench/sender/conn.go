package sender

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strconv"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

// Limits of one exchange.
const (
	exchangeTimeout   = 60 * time.Second
	defaultRetryAfter = time.Second // for a refusal without a usable Retry-After
	maxAnswer         = 1 << 20     // bytes of an answer
)

// conn is a connection to an endpoint that stays open as long as it can.
type conn struct {
	host   string // host:port
	dialer net.Dialer
	open   net.Conn
	reader *bufio.Reader
	head   []byte
	vector [2][]byte
	answer []byte
}

// reply is what the endpoint answered.
type reply struct {
	status     int
	retryAfter time.Duration // 0 without one
	body       []byte        // valid until the next exchange
}

// post sends a body and reads its answer. After an error nobody knows whether the
// endpoint took the body.
func (c *conn) post(ctx context.Context, b *workload.Body, key string) (reply, error) {
	if c.open == nil {
		var err error
		if c.open, err = c.dialer.DialContext(ctx, "tcp", c.host); err != nil {
			return reply{}, err
		}
		c.reader = bufio.NewReaderSize(c.open, 4096)
	}
	stop := context.AfterFunc(ctx, func() { c.open.Close() })
	defer stop()
	r, closes, err := c.exchange(b, key)
	if err != nil || closes {
		c.close()
	}
	return r, err
}

func (c *conn) close() {
	if c.open != nil {
		c.open.Close()
		c.open = nil
	}
}

func (c *conn) exchange(b *workload.Body, key string) (r reply, closes bool, err error) {
	if err := c.open.SetDeadline(time.Now().Add(exchangeTimeout)); err != nil {
		return r, false, err
	}
	c.head = append(append(append(c.head[:0], "POST "...), b.Path...), " HTTP/1.1\r\nHost: "...)
	c.head = append(append(append(c.head, c.host...), "\r\nContent-Type: "...), b.ContentType...)
	if key != "" {
		c.head = append(append(c.head, "\r\nAuthorization: Bearer "...), key...)
	}
	c.head = append(strconv.AppendInt(append(c.head, "\r\nContent-Length: "...), int64(len(b.Content)), 10), "\r\n\r\n"...)
	c.vector = [2][]byte{c.head, b.Content}
	buffers := net.Buffers(c.vector[:])
	// An endpoint that refuses may answer and close before it has read everything.
	_, sending := buffers.WriteTo(c.open)
	r, closes, err = c.read()
	if err != nil {
		return r, closes, errors.Join(sending, err)
	}
	return r, closes || sending != nil, nil
}

// read takes an answer apart: RFC 9112, no more than servers of Go write.
func (c *conn) read() (r reply, closes bool, err error) {
	line, err := c.line()
	if err != nil {
		return r, true, err
	}
	// HTTP/1.1 200 OK
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return r, true, fmt.Errorf("%s: want a status line of HTTP/1.1, got %.50q", c.host, line)
	}
	if r.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return r, true, fmt.Errorf("%s: status line %.50q: %w", c.host, line, err)
	}
	length, chunked := 0, false
	for {
		if line, err = c.line(); err != nil {
			return r, true, err
		}
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil || length > maxAnswer {
				return r, true, fmt.Errorf("%s: Content-Length: want 0 to %d, got %.50q", c.host, maxAnswer, value)
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = bytes.EqualFold(value, []byte("chunked"))
		case bytes.EqualFold(name, []byte("Retry-After")):
			r.retryAfter = parseRetryAfter(string(value))
		case bytes.EqualFold(name, []byte("Connection")):
			closes = bytes.EqualFold(value, []byte("close"))
		}
	}
	if chunked {
		r.body, err = io.ReadAll(io.LimitReader(httputil.NewChunkedReader(c.reader), maxAnswer))
		return r, true, err // the trailer stays unread
	}
	if cap(c.answer) < length {
		c.answer = make([]byte, length)
	}
	r.body = c.answer[:length]
	_, err = io.ReadFull(c.reader, r.body)
	return r, closes, err
}

// line reads a line without its end.
func (c *conn) line() ([]byte, error) {
	line, err := c.reader.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// parseRetryAfter reads the integer form of Retry-After (RFC 9110, 10.2.3).
func parseRetryAfter(value string) time.Duration {
	seconds, err := strconv.Atoi(value)
	if err != nil || seconds < 0 {
		return defaultRetryAfter
	}
	return time.Duration(seconds) * time.Second
}
