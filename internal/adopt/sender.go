package adopt

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/trackwayhq/trackway/internal/batchid"
	"github.com/trackwayhq/trackway/internal/pause"
)

// Pauses between tries of a batch that was not taken.
const (
	firstPause = 500 * time.Millisecond
	lastPause  = 30 * time.Second
)

// sender posts OTLP requests until they are taken.
type sender struct {
	url  string // of the signal: …/v1/traces
	key  string // ingest key, "" for none
	http *http.Client
	// rejected reads how many items an answer says were not taken.
	rejected func(body []byte) (items int64, why string)
	// rate is in rows a second; 0 is no limit.
	rate float64
	free time.Time // when the next batch may be sent
}

// send returns when the collector has taken the batch, or refused it for good.
func (s *sender) send(ctx context.Context, id string, body []byte, rows int) (rejected int64, why string, err error) {
	if err := s.pace(ctx, rows); err != nil {
		return 0, "", err
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write(body); err != nil {
		return 0, "", err
	}
	if err := zip.Close(); err != nil {
		return 0, "", err
	}
	for retry := firstPause; ; retry = min(2*retry, lastPause) {
		answer, wait, err := s.try(ctx, id, packed.Bytes())
		if err == nil {
			rejected, why = s.rejected(answer)
			return rejected, why, nil
		}
		var refused *refusedError
		if errors.As(err, &refused) || ctx.Err() != nil {
			return 0, "", err
		}
		if err := pause.For(ctx, max(wait, retry)); err != nil {
			return 0, "", err
		}
	}
}

// refusedError is an answer that the same batch would get again.
type refusedError struct {
	status int
	text   string
}

func (e *refusedError) Error() string {
	return fmt.Sprintf("the collector refuses a batch with HTTP %d: %s", e.status, e.text)
}

func (s *sender) try(ctx context.Context, id string, packed []byte) (answer []byte, wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(packed))
	if err != nil {
		return nil, 0, &refusedError{text: err.Error()}
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("Content-Encoding", "gzip")
	req.Header.Set(batchid.Header, id)
	if s.key != "" {
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, 0, err
	}
	switch resp.StatusCode {
	case http.StatusOK:
		return answer, 0, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
			wait = time.Duration(seconds) * time.Second
		}
		return nil, wait, fmt.Errorf("the collector answered %s", resp.Status)
	}
	return nil, 0, &refusedError{status: resp.StatusCode, text: strings.ToValidUTF8(string(answer), "�")}
}

// pace waits until rows more may be sent.
func (s *sender) pace(ctx context.Context, rows int) error {
	if s.rate <= 0 {
		return nil
	}
	now := time.Now()
	wait := s.free.Sub(now)
	s.free = now.Add(max(wait, 0) + time.Duration(float64(rows)/s.rate*float64(time.Second)))
	return pause.For(ctx, wait)
}

func rejectedSpans(body []byte) (int64, string) {
	answer := ptraceotlp.NewExportResponse()
	if answer.UnmarshalProto(body) != nil {
		return 0, "" // 200 all the same
	}
	return answer.PartialSuccess().RejectedSpans(), answer.PartialSuccess().ErrorMessage()
}

func rejectedLogs(body []byte) (int64, string) {
	answer := plogotlp.NewExportResponse()
	if answer.UnmarshalProto(body) != nil {
		return 0, ""
	}
	return answer.PartialSuccess().RejectedLogRecords(), answer.PartialSuccess().ErrorMessage()
}
