package queryserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/trackwayhq/trackway/internal/keyedhash"
	"github.com/trackwayhq/trackway/internal/record"
)

// What people type of a hashed correlation key is hashed before the store or a
// collector is asked.
func TestHashedKeys(t *testing.T) {
	const secret = "0123456789abcdef"
	hash := keyedhash.New([]byte(secret)).Hash("u_1137")
	s := newTestStore(t)
	s.insert(
		record.Record{Kind: record.Request, Project: "default", Time: completeTime, RID: 1, Correlation: record.Pairs{{Key: "user_id", Value: hash}, {Key: "order_id", Value: "u_1137"}}},
		record.Record{Kind: record.Request, Project: "default", Time: completeTime, RID: 2, Correlation: record.Pairs{{Key: "user_id", Value: keyedhash.New([]byte(secret)).Hash("u_2")}}},
	)
	asked := make(chan string, 1)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- r.URL.Query().Get("filter"):
		default:
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer collector.Close()
	cfg := DefaultConfig()
	cfg.Secrets.CorrelationHash = CorrelationHashConfig{Secret: secret, Keys: []string{"user_id"}}
	tails, err := newTailRelay([]string{collector.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer tails.close()
	plain := s.api
	s.api = httptest.NewServer(newHandler(cfg, s.client, tails, nil))
	defer func() { s.api.Close(); s.api = plain }()

	at := []string{"from", "2026-11-01T00:00:00Z", "to", "2026-11-02T00:00:00Z"}
	for filter, want := range map[string]int{
		"user_id:u_1137": 1, "correlation['user_id'] = 'u_1137'": 1, "user_id IN ('u_1137', 'u_2')": 2, "user_id != 'u_1137'": 1, "-user_id:u_2": 1,
		"user_id = '" + hash + "'": 1, "order_id:u_1137": 1, "order_id = '" + hash + "'": 0, "EXISTS user_id": 2,
	} {
		status, body := s.get("requests", append([]string{"filter", filter}, at...)...)
		var rows Rows
		if err := json.Unmarshal(body, &rows); err != nil || status != http.StatusOK || len(rows.Rows) != want {
			t.Errorf("%s: %d: %d records, want %d: %.300s", filter, status, len(rows.Rows), want, body)
		}
	}
	status, body := s.get("requests", "filter", "status:5xx user_id:u*")
	var p Problem
	if err := json.Unmarshal(body, &p); err != nil || status != http.StatusBadRequest || p.Position == nil || *p.Position != 11 {
		t.Errorf("a pattern on hashes: %d: %s", status, body)
	}
	status, body = s.get("journeys/user_id/u_1137", at...)
	var journey Journey
	if err := json.Unmarshal(body, &journey); err != nil || status != http.StatusOK || len(journey.Rows) != 1 || journey.Value != "u_1137" {
		t.Errorf("the journey: %d: %s", status, body)
	}
	if c := s.complete("user_id:|"); len(c.Items) != 0 {
		t.Errorf("hashes are offered: %+v", c.Items)
	}

	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.api.URL+"/api/v1/projects/default/tail?filter="+url.QueryEscape("user_id:u_1137"), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := <-asked, "correlation['user_id'] = '"+hash+"'"; got != want {
		t.Errorf("the collector was asked for %s, want %s", got, want)
	}
	cancel()
	resp.Body.Close()
}
