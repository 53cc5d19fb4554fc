package queryserver

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// Usage is the ledger's newest version of each line and the rollups, day by day.
func TestUsageByDay(t *testing.T) {
	s := newTestStore(t)
	for i, day := range []int{1, 2, 2} {
		rec := record.Record{Kind: record.Request, Project: "default", RID: uint64(i + 1), Service: []string{"api", "web", "api"}[i], RequestBytes: 10, ResponseBytes: uint64(i)}
		rec.Time = time.Date(2026, 11, day, 23, 59, 59, 0, time.UTC)
		s.insert(rec)
	}
	other := record.Record{Kind: record.Request, Project: "other", RID: 9, Time: time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC), Service: "api"}
	s.insert(other)
	err := s.post(s.database, `INSERT INTO delivery_ledger (project, minute, source, generation, version, received, rejected, stored, dead_letter, dropped, removed, request_rows, span_rows, event_rows, ttl_days) VALUES
		('default', '2026-11-01 23:59:00', 1, 1, 1, 5, 1, 1, 0, {}, 0, 0, 0, 0, 4000),
		('default', '2026-11-01 23:59:00', 1, 1, 2, 7, 1, 3, 1, {'too_old': 2}, 0, 1, 1, 1, 4000),
		('default', '2026-11-02 00:00:00', 1, 1, 1, 2, 0, 2, 0, {}, 0, 2, 0, 0, 4000),
		('default', '2026-11-02 12:00:00', 2, 1, 1, 1, 0, 0, 0, {'too_old': 1}, 0, 0, 0, 0, 4000),
		('other', '2026-11-02 12:00:00', 1, 1, 1, 100, 0, 100, 0, {}, 0, 100, 0, 0, 4000)`, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := decodeAnswer[Usage](t, s, "usage", "from", "2026-11-01T12:00:00Z", "to", "2026-11-02T13:00:00Z")
	if len(got.Days) != 2 || got.From.Day() != 1 || got.From.Hour() != 0 || got.To.Day() != 3 {
		t.Fatalf("%+v", got)
	}
	first, second := got.Days[0], got.Days[1]
	if first.Day != "2026-11-01" || first.Received != 7 || first.Rejected != 1 || first.Stored != 3 || first.DeadLetter != 1 || !maps.Equal(first.Dropped, map[string]int64{"too_old": 2}) ||
		first.Requests != 1 || first.Spans != 1 || first.Events != 1 || first.BodyBytes != 10 {
		t.Errorf("first day %+v", first)
	}
	if second.Received != 3 || second.Stored != 2 || second.Requests != 2 || second.BodyBytes != 23 || !maps.Equal(second.Dropped, map[string]int64{"too_old": 1}) {
		t.Errorf("second day %+v", second)
	}
	if first.StoredBytes == nil || *first.StoredBytes == 0 || second.StoredBytes == nil || *second.StoredBytes == 0 {
		t.Errorf("bytes on disk: %v, %v", first.StoredBytes, second.StoredBytes)
	}
	if len(got.Services) != 2 || got.Services[0] != (UsageService{"api", 2, 22}) {
		t.Errorf("services %+v", got.Services)
	}
	if status, body := s.get("usage", "from", "2020-01-01T00:00:00Z"); status != http.StatusBadRequest || !strings.Contains(string(body), "at most 800 days") {
		t.Errorf("seven years: %d: %s", status, body)
	}
	if none := decodeAnswer[Usage](t, s, "usage", "from", "2025-11-01T12:00:00Z", "to", "2025-11-02T13:00:00Z"); len(none.Days) != 0 {
		t.Errorf("%+v", none)
	}
}
