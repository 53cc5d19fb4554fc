package ledgerextension

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/trackwayhq/trackway/internal/ledger"
)

const (
	// maxAnswer is more than any answer we need, in bytes.
	maxAnswer = 16 << 10
	// rowsPerInsert bounds the body of an insert, some 300 bytes a row.
	rowsPerInsert = 10_000
)

// table writes rows to delivery_ledger. Writing a row again changes nothing.
type table struct {
	http               *http.Client
	url                string
	username, password string
	source             uint64
}

func newTable(cfg *Config, client *http.Client, source uint64) *table {
	params := url.Values{
		"query": {fmt.Sprintf("INSERT INTO %s.delivery_ledger FORMAT JSONEachRow", cfg.Database)},
		// The answer comes when the rows are stored.
		"async_insert": {"0"}, "wait_end_of_query": {"1"},
	}
	return &table{
		http: client, url: strings.TrimRight(cfg.ClickHouse.Endpoint, "/") + "/?" + params.Encode(),
		username: cfg.Username, password: string(cfg.Password), source: source,
	}
}

// line is a row in the form of the insert.
type line struct {
	Project     string           `json:"project"`
	Minute      int64            `json:"minute"` // seconds since 1970
	Source      uint64           `json:"source"`
	Generation  uint64           `json:"generation"`
	Version     uint64           `json:"version"`
	Received    int64            `json:"received"`
	Rejected    int64            `json:"rejected"`
	Stored      int64            `json:"stored"`
	DeadLetter  int64            `json:"dead_letter"`
	Dropped     map[string]int64 `json:"dropped"`
	Removed     int64            `json:"removed"`
	RequestRows int64            `json:"request_rows"`
	SpanRows    int64            `json:"span_rows"`
	EventRows   int64            `json:"event_rows"`
}

func (t *table) line(r *ledger.Row) line {
	c := &r.Counts
	l := line{
		Project: r.Project, Minute: r.Minute * 60, Source: t.source, Generation: r.Generation, Version: r.Version,
		Received: c.Received, Rejected: c.Rejected, Stored: c.Stored, DeadLetter: c.DeadLetter, Removed: c.Removed,
		Dropped: map[string]int64{}, RequestRows: c.Rows[0], SpanRows: c.Rows[1], EventRows: c.Rows[2],
	}
	for i, reason := range ledger.Reasons {
		if n := c.Dropped[i]; n != 0 {
			l.Dropped[reason] = n
		}
	}
	return l
}

func (t *table) write(ctx context.Context, rows []ledger.Row) error {
	var body bytes.Buffer
	for len(rows) > 0 {
		n := min(len(rows), rowsPerInsert)
		body.Reset()
		encoder := json.NewEncoder(&body)
		for i := range rows[:n] {
			if err := encoder.Encode(t.line(&rows[i])); err != nil {
				return err
			}
		}
		if err := t.insert(ctx, body.Bytes()); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

func (t *table) insert(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if t.username != "" {
		req.Header.Set("X-ClickHouse-User", t.username)
		req.Header.Set("X-ClickHouse-Key", t.password)
	}
	resp, err := t.http.Do(req)
	if err != nil {
		if ue := new(url.Error); errors.As(err, &ue) {
			err = ue.Err // the URL holds the whole statement
		}
		return fmt.Errorf("store unreachable: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("reading the store's answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK || resp.Header.Get("X-ClickHouse-Exception-Code") != "" {
		return fmt.Errorf("writing to delivery_ledger: HTTP %d: %s", resp.StatusCode, bytes.TrimSpace(text))
	}
	return nil
}
