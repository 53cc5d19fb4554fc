package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/internal/pause"
)

// Limits of a sender.
const (
	requestTimeout    = 60 * time.Second
	defaultRetryAfter = time.Second      // for a refusal without a usable Retry-After
	maxRetryAfter     = 30 * time.Second // a longer wait is cut: the server may have been restarted
	maxAnswer         = 1 << 20          // bytes read of an answer
)

// Sender posts NDJSON bodies to one ingest endpoint. It is safe for concurrent
// use.
type Sender struct {
	url    string
	client *http.Client
}

// NewSender returns a sender for an endpoint's base URL that keeps up to
// connections open.
func NewSender(baseURL string, connections int) *Sender {
	return &Sender{
		url: strings.TrimSuffix(strings.TrimSuffix(baseURL, "/"), "/v1/ingest") + "/v1/ingest",
		client: &http.Client{
			Timeout: requestTimeout,
			Transport: &http.Transport{
				MaxIdleConns: connections, MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections,
				IdleConnTimeout: time.Minute, DisableCompression: true, WriteBufferSize: 64 << 10,
			},
		},
	}
}

// CheckURL refuses what cannot be the base of an endpoint.
func CheckURL(base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("want an address such as http://127.0.0.1:4319, got %q", base)
	}
	return nil
}

// Close closes idle connections.
func (s *Sender) Close() { s.client.CloseIdleConnections() }

// Answer is what the endpoint said about a body: design, section 3.
type Answer struct {
	Accepted int `json:"accepted"`
	Rejected int `json:"rejected"`
	Errors   []struct {
		Line  int    `json:"line"`
		Error string `json:"error"`
	} `json:"errors"`
}

// RefusedError is an answer that asks to try again later: 429, or 503 with a
// Retry-After.
type RefusedError struct {
	Status     int
	RetryAfter time.Duration
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("refused with %d, try again in %s", e.Status, e.RetryAfter)
}

// UnusableError is an answer that sending the same body again cannot change.
type UnusableError struct {
	URL, Status, Text string
}

func (e *UnusableError) Error() string {
	return fmt.Sprintf("%s answered %s: %s", e.URL, e.Status, e.Text)
}

// Send posts one body. batchID, when not empty, lets the endpoint recognise a
// repeat of the same body.
func (s *Sender) Send(ctx context.Context, body []byte, batchID string) (Answer, error) {
	var answer Answer
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return answer, fmt.Errorf("ingest endpoint %s: %w", s.url, err)
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	if batchID != "" {
		request.Header.Set("Trackway-Batch-Id", batchID)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return answer, fmt.Errorf("answer of %s: %w", s.url, err)
	}
	retryAfter := response.Header.Get("Retry-After")
	switch {
	case response.StatusCode == http.StatusOK:
		if err := json.Unmarshal(content, &answer); err != nil {
			return answer, fmt.Errorf("answer of %s: want {\"accepted\":…}, got %.100q: %w", s.url, content, err)
		}
		return answer, nil
	case response.StatusCode == http.StatusTooManyRequests,
		response.StatusCode == http.StatusServiceUnavailable && retryAfter != "":
		return answer, &RefusedError{Status: response.StatusCode, RetryAfter: parseRetryAfter(retryAfter)}
	}
	text := fmt.Sprintf("%.200s", bytes.TrimSpace(content))
	if response.StatusCode < http.StatusInternalServerError {
		return answer, &UnusableError{s.url, response.Status, text}
	}
	return answer, fmt.Errorf("%s answered %s: %s", s.url, response.Status, text)
}

// parseRetryAfter reads the integer form of Retry-After (RFC 9110, 10.2.3).
func parseRetryAfter(value string) time.Duration {
	seconds, err := strconv.Atoi(value)
	if err != nil || seconds < 0 {
		return defaultRetryAfter
	}
	return min(time.Duration(seconds)*time.Second, maxRetryAfter)
}

// SendUntilAccepted posts a body again and again until the endpoint takes it:
// after the time it asked for when it refused, with growing pauses when it could
// not be reached. It gives up when ctx ends or with an UnusableError.
func (s *Sender) SendUntilAccepted(ctx context.Context, body []byte, batchID string, onRetry func(error)) (Answer, error) {
	next := 200 * time.Millisecond
	for {
		answer, err := s.Send(ctx, body, batchID)
		if err == nil {
			return answer, nil
		}
		if ctx.Err() != nil {
			return answer, ctx.Err()
		}
		wait := next
		var refused *RefusedError
		var unusable *UnusableError
		switch {
		case errors.As(err, &unusable):
			return answer, err
		case errors.As(err, &refused):
			wait = refused.RetryAfter
		default:
			next = min(2*next, 5*time.Second)
		}
		onRetry(err)
		if err := pause.For(ctx, wait); err != nil {
			return answer, err
		}
	}
}
