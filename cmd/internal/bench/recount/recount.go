package recount

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
)

//go:embed sql/stored.sql
var storedSQL string

//go:embed sql/parts.sql
var partsSQL string

//go:embed sql/trackway.sql
var trackwaySQL string

//go:embed sql/contrib.sql
var contribSQL string

// Rows is how many rows the store has.
type Rows struct {
	Records int64 `json:"records"` // requests, spans and events, or what the upstream exporter makes of them
	Journey int64 `json:"journey"`
}

// Stored counts rows. It is cheap: the engine knows the numbers without reading.
func Stored(ctx context.Context, e clickhouse.Endpoint) (Rows, error) {
	return one[Rows](ctx, e, storedSQL)
}

// Parts is how finely a store is divided.
type Parts struct {
	Parts  int64 `json:"parts"`  // active, of all tables
	Most   int64 `json:"most"`   // of one partition of one table
	Merges int64 `json:"merges"` // that run now
}

// CountParts counts parts and merges.
func CountParts(ctx context.Context, e clickhouse.Endpoint) (Parts, error) {
	return one[Parts](ctx, e, partsSQL)
}

func one[T any](ctx context.Context, e clickhouse.Endpoint, query string) (T, error) {
	var none T
	rows, err := clickhouse.Ask[T](ctx, e, query)
	if err != nil {
		return none, fmt.Errorf("counting rows: %w", err)
	}
	if len(rows) != 1 {
		return none, fmt.Errorf("counting rows: want one row, got %d", len(rows))
	}
	return rows[0], nil
}

// Accepted is what the store must hold.
type Accepted struct {
	Requests int64 `json:"requests"`
	Spans    int64 `json:"spans"`
	Events   int64 `json:"events"`
	Keys     int64 `json:"keys"` // correlation keys of all of them
	// Unknown items may be there too: nobody knows what became of them.
	Unknown int64 `json:"unknown"`
	// UnknownKeys are the correlation keys of those.
	UnknownKeys int64 `json:"unknown_keys,omitempty"`
}

// Items is the number of accepted items.
func (a Accepted) Items() int64 { return a.Requests + a.Spans + a.Events }

// Tables is what the tables hold.
type Tables struct {
	Requests         int64 `json:"requests"`
	Spans            int64 `json:"spans"`
	Events           int64 `json:"events"`
	DistinctRequests int64 `json:"distinct_requests"`
	DistinctSpans    int64 `json:"distinct_spans"`
	DistinctEvents   int64 `json:"distinct_events"`
	Keys             int64 `json:"keys"`
	Journey          int64 `json:"journey"`
	FacetItems       int64 `json:"facet_items"`
	Facets           int64 `json:"facets"`
	Weight           int64 `json:"weight"`
	Duration         int64 `json:"duration"`
	Bytes            int64 `json:"bytes"`
	CntM             int64 `json:"cnt_m"`
	CntH             int64 `json:"cnt_h"`
	CntMWeight       int64 `json:"cnt_m_weight"`
	CntHWeight       int64 `json:"cnt_h_weight"`
	CntMDuration     int64 `json:"cnt_m_duration"`
	CntHDuration     int64 `json:"cnt_h_duration"`
	CntMBytes        int64 `json:"cnt_m_bytes"`
	CntHBytes        int64 `json:"cnt_h_bytes"`
	LatM             int64 `json:"lat_m"`
	LatQ             int64 `json:"lat_q"`
	LatH             int64 `json:"lat_h"`
	LatMWeight       int64 `json:"lat_m_weight"`
	Projects         int64 `json:"projects"`
}

// Count reads all tables of the trackway database.
func Count(ctx context.Context, e clickhouse.Endpoint) (Tables, error) {
	return one[Tables](ctx, e, trackwaySQL)
}

// Check compares the tables with what was accepted and among themselves. Each
// difference is a sentence.
func (t Tables) Check(a Accepted) []string {
	var w differences
	w.between("rows of requests", t.Requests, a.Requests, a.Requests+a.Unknown)
	w.between("rows of spans", t.Spans, a.Spans, a.Spans+a.Unknown)
	w.between("rows of events", t.Events, a.Events, a.Events+a.Unknown)
	all := t.Requests + t.Spans + t.Events
	w.between("rows of all three", all, a.Items(), a.Items()+a.Unknown)
	w.between("correlation keys", t.Keys, a.Keys, a.Keys+a.UnknownKeys)
	w.equal("different ids of requests", t.DistinctRequests, t.Requests)
	w.equal("different ids of spans", t.DistinctSpans, t.Spans)
	w.equal("different ids of events", t.DistinctEvents, t.Events)
	w.equal("rows of journey", t.Journey, t.Keys)
	w.equal("sum of facets", t.Facets, t.FacetItems)
	for _, rollup := range []struct {
		what      string
		got, want int64
	}{
		{"cnt_m", t.CntM, t.Requests}, {"cnt_h", t.CntH, t.Requests},
		{"lat_m", t.LatM, t.Requests}, {"lat_q", t.LatQ, t.Requests}, {"lat_h", t.LatH, t.Requests},
		{"weights of cnt_m", t.CntMWeight, t.Weight}, {"weights of cnt_h", t.CntHWeight, t.Weight}, {"weights of lat_m", t.LatMWeight, t.Weight},
		{"durations of cnt_m", t.CntMDuration, t.Duration}, {"durations of cnt_h", t.CntHDuration, t.Duration},
		{"bytes of cnt_m", t.CntMBytes, t.Bytes}, {"bytes of cnt_h", t.CntHBytes, t.Bytes},
	} {
		w.equal("sum of "+rollup.what, rollup.got, rollup.want)
	}
	return w
}

// differences collects sentences about what is not as it should be.
type differences []string

func (d *differences) between(what string, got, least, most int64) {
	switch {
	case got >= least && got <= most:
	case least == most:
		*d = append(*d, fmt.Sprintf("%s: want %d, got %d (%+d)", what, least, got, got-least))
	default:
		*d = append(*d, fmt.Sprintf("%s: want %d to %d, got %d", what, least, most, got))
	}
}

func (d *differences) equal(what string, got, want int64) { d.between(what, got, want, want) }

// Contrib is what the tables of the upstream exporter hold.
type Contrib struct {
	Traces int64 `json:"traces"` // spans
	Logs   int64 `json:"logs"`
}

// CountContrib counts the tables of the upstream exporter in a database.
func CountContrib(ctx context.Context, e clickhouse.Endpoint) (Contrib, error) {
	return one[Contrib](ctx, e, contribSQL)
}

// Check compares the tables with what was accepted.
func (c Contrib) Check(a Accepted) []string {
	var wrong []string
	if spans := a.Requests + a.Spans; c.Traces < spans || c.Traces > spans+a.Unknown {
		wrong = append(wrong, fmt.Sprintf("rows of otel_traces: want %d and at most %d more, got %d", spans, a.Unknown, c.Traces))
	}
	if c.Logs < a.Events || c.Logs > a.Events+a.Unknown {
		wrong = append(wrong, fmt.Sprintf("rows of otel_logs: want %d and at most %d more, got %d", a.Events, a.Unknown, c.Logs))
	}
	return wrong
}
