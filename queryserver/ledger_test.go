package queryserver

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"
)

const ledgerRows = `INSERT INTO delivery_ledger (project, minute, source, generation, version, received, rejected, stored, dead_letter, dropped, removed, request_rows, span_rows, event_rows, ttl_days) VALUES `

func TestLedger(t *testing.T) {
	s := newTestStore(t)
	err := s.post(s.database, ledgerRows+`
		('default', '2026-11-01 11:59:00', 1, 1, 1, 1000, 0, 1000, 0, {}, 0, 0, 0, 0, 4000),
		('default', '2026-11-01 12:00:00', 1, 1, 1, 5, 1, 1, 0, {}, 0, 0, 0, 0, 4000),
		('default', '2026-11-01 12:00:00', 1, 1, 2, 10, 1, 3, 1, {'too_old': 2}, 1, 1, 1, 1, 4000),
		('default', '2026-11-01 12:00:00', 2, 1, 1, 4, 0, 4, 0, {}, 0, 4, 0, 0, 4000),
		('default', '2026-11-01 12:05:00', 1, 1, 1, 6, 0, 0, 0, {'too_old': 1, 'repeated': 5}, 0, 0, 0, 0, 4000),
		('other', '2026-11-01 12:00:00', 1, 1, 1, 100, 0, 101, 0, {}, 0, 100, 0, 0, 4000)`, nil)
	if err != nil {
		t.Fatal(err)
	}
	window := []string{"from", "2026-11-01T12:00:30Z", "to", "2026-11-01T12:05:01Z"}
	got := decodeAnswer[Ledger](t, s, "ledger", window...)
	if got.From != time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) || got.To.Minute() != 6 || got.Step != 60 || len(got.Steps) != 2 {
		t.Fatalf("%+v", got)
	}
	first := got.Steps[0].LedgerCounts
	if first.Received != 14 || first.Rejected != 1 || first.Accepted != 13 || first.Stored != 7 || first.DeadLetter != 1 || first.Removed != 1 ||
		first.Pending != 2 || !first.Balanced || first.Difference != 0 || !maps.Equal(first.Dropped, map[string]int64{"too_old": 2}) {
		t.Errorf("first minute %+v", first)
	}
	total := got.Total
	if total.Received != 20 || total.Accepted != 19 || total.Pending != 2 || !total.Balanced || !maps.Equal(total.Dropped, map[string]int64{"too_old": 3, "repeated": 5}) {
		t.Errorf("total %+v", total)
	}

	// More was stored than was accepted: one minute hides it from the sums, not from
	// the answer.
	if err := s.post(s.database, ledgerRows+`('default', '2026-11-01 12:06:00', 1, 1, 1, 5, 0, 6, 0, {}, 0, 6, 0, 0, 4000)`, nil); err != nil {
		t.Fatal(err)
	}
	window[3] = "2026-11-01T12:07:00Z"
	got = decodeAnswer[Ledger](t, s, "ledger", window...)
	if last := got.Steps[2]; last.Balanced || last.Difference != -1 || last.Pending != 0 || got.Total.Balanced {
		t.Errorf("unbalanced: %+v, total %+v", last, got.Total)
	}

	for to, step := range map[string]int64{"2026-11-02T12:00:00Z": 60, "2026-11-03T12:00:00Z": 3600, "2027-03-01T12:00:00Z": 86400} {
		if got := decodeAnswer[Ledger](t, s, "ledger", "from", "2026-11-01T12:00:00Z", "to", to); got.Step != step || len(got.Steps) == 0 || got.Total.Received < 25 {
			t.Errorf("to %s: %+v", to, got)
		}
	}
	if status, body := s.get("ledger", "from", "2020-01-01T00:00:00Z"); status != http.StatusBadRequest || !strings.Contains(string(body), "at most 800 days") {
		t.Errorf("seven years: %d: %s", status, body)
	}
	if none := decodeAnswer[Ledger](t, s, "ledger", "from", "2025-11-01T12:00:00Z", "to", "2025-11-01T13:00:00Z"); len(none.Steps) != 0 || !none.Total.Balanced || none.Total.Dropped == nil {
		t.Errorf("%+v", none)
	}
}
