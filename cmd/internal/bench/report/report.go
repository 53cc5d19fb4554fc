package report

import (
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/recount"
	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
	"github.com/trackwayhq/trackway/cmd/internal/machine"
)

// Report is everything a run of the benchmark found.
type Report struct {
	StartedAt time.Time       `json:"started_at"`
	Seconds   float64         `json:"seconds"`
	Command   string          `json:"command"`
	Machine   machine.Machine `json:"machine"`
	Disk      machine.Disk    `json:"disk"`
	// LoadBefore is the load average of the minute before the start: what else the
	// machine did.
	LoadBefore float64  `json:"load_before"`
	Versions   Versions `json:"versions"`
	Points     []*Point `json:"points"`
	Gates      []Gate   `json:"gates,omitempty"`
}

// Versions are what was measured.
type Versions struct {
	Trackway  string `json:"trackway"`
	Commit    string `json:"commit,omitempty"`
	Collector string `json:"collector"`
	Engine    string `json:"engine"`
	Go        string `json:"go"`
}

// Point is one arm of a scenario under one setting: the median of its runs.
type Point struct {
	Scenario string   `json:"scenario"`
	Arm      string   `json:"arm"`
	Settings Settings `json:"settings"`

	EventsPerSecond  float64 `json:"events_per_second"`
	BatchesPerSecond float64 `json:"batches_per_second"`
	// StoredPerSecond is what the store keeps up with: all accepted items, divided by
	// the time from the first body until everything is stored.
	StoredPerSecond float64       `json:"stored_per_second"`
	BytesPerItem    float64       `json:"bytes_per_item"`
	Sent            sender.Result `json:"sent"`
	Processes       []Process     `json:"processes"`
	// OtherCores is what processes used while measuring that are not measured,
	// StolenCores what the host of a virtual machine took.
	OtherCores  float64         `json:"other_cores"`
	StolenCores float64         `json:"stolen_cores"`
	Drain       float64         `json:"drain_seconds"`     // from the last answer until everything is stored
	Visible     *sender.Latency `json:"visible,omitempty"` // from an answer until a query shows it
	Tails       []Tail          `json:"tails,omitempty"`
	Parts       recount.Parts   `json:"parts"`
	PartsPeak   int64           `json:"parts_peak"` // the most parts of a partition
	Rows        int64           `json:"rows"`       // in the three tables of records
	Tables      *recount.Tables `json:"tables,omitempty"`
	Ledger      *recount.Ledger `json:"ledger,omitempty"`
	// Wrong says what was lost, doubled or answered as it must not be.
	Wrong  []string `json:"wrong,omitempty"`
	Notes  []string `json:"notes,omitempty"`
	Series []Sample `json:"series,omitempty"`
	// Runs are the runs that the figures are medians of, without their series.
	Runs []*Point `json:"runs,omitempty"`
}

// Settings are what a point was measured under.
type Settings struct {
	Format      string  `json:"format"`
	Mix         string  `json:"mix"`
	Connections int     `json:"connections"`
	Batch       int     `json:"batch"`
	Rate        float64 `json:"rate,omitempty"` // items a second offered; 0 in a closed loop
	Burst       string  `json:"burst,omitempty"`
	Projects    int     `json:"projects"`
	SpreadDays  int     `json:"spread_days,omitempty"`
	Warmup      float64 `json:"warmup_seconds"`
	Seconds     float64 `json:"seconds"`
	Seed        uint64  `json:"seed"`
}

// Loop says how the sender decides when to send.
func (s Settings) Loop() string {
	if s.Rate > 0 {
		return "open"
	}
	return "closed"
}

// Process is what one process used.
type Process struct {
	Name string `json:"name"` // sender, collector, engine, query, bench
	// MicrosPerEvent is the CPU from the first body until everything is stored,
	// divided by all accepted items, the warm-up's with them.
	MicrosPerEvent float64 `json:"us_per_event"`
	// MicrosSettled is the same until the merges that followed are done; 0 where
	// they were not waited for.
	MicrosSettled float64 `json:"us_per_event_settled,omitempty"`
	Cores         float64 `json:"cores"` // while measuring
	PeakRSS       int64   `json:"peak_rss_bytes"`
	MeanRSS       int64   `json:"mean_rss_bytes"` // while measuring
}

// Tail is how soon subscribers saw what was accepted.
type Tail struct {
	Subscriber string         `json:"subscriber"`
	Answered   sender.Latency `json:"from_answer"`  // from the answer of the POST; what came earlier counts as at once
	SentAt     sender.Latency `json:"from_sending"` // from the sending of the POST
	Missing    int64          `json:"missing"`      // accepted and never shown
}

// Sample is about one second of a run.
type Sample struct {
	At       float64            `json:"at"` // seconds since the first body
	Accepted float64            `json:"accepted_per_second"`
	Refused  float64            `json:"refused_per_second"` // bodies
	P50      float64            `json:"p50_ms"`
	P99      float64            `json:"p99_ms"`
	RSS      map[string]int64   `json:"rss_bytes"`
	Cores    map[string]float64 `json:"cores"`
	Parts    int64              `json:"parts"` // the most of one partition
}

// Gate is a limit that a point must keep.
type Gate struct {
	Name     string  `json:"name"`
	Scenario string  `json:"scenario"`
	Measured float64 `json:"measured"`
	Limit    float64 `json:"limit"`
	AtLeast  bool    `json:"at_least"` // else at most
	Unit     string  `json:"unit"`
	Passed   bool    `json:"passed"`
}

// Process gives what the process of a name used, zero if there is none.
func (p *Point) Process(name string) Process {
	for _, process := range p.Processes {
		if process.Name == name {
			return process
		}
	}
	return Process{Name: name}
}
