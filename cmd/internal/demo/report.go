package demo

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
	"github.com/trackwayhq/trackway/cmd/internal/machine"
)

// Counts adds up what happened to bodies and items.
type Counts struct {
	BatchesAccepted int64 `json:"batches_accepted"`
	BatchesRefused  int64 `json:"batches_refused"` // 429, or 503 with Retry-After
	BatchesFailed   int64 `json:"batches_failed"`  // everything else
	BatchesAnswered int64 `json:"-"`               // of these, those the endpoint cannot use
	BatchesUnsent   int64 `json:"batches_unsent"`  // due in an open loop, never sent
	ItemsSent       int64 `json:"items_sent"`
	ItemsAccepted   int64 `json:"items_accepted"`
	ItemsRejected   int64 `json:"items_rejected"`
	BytesSent       int64 `json:"bytes_sent"`
}

func (c *Counts) add(o Counts) {
	c.BatchesAccepted += o.BatchesAccepted
	c.BatchesRefused += o.BatchesRefused
	c.BatchesFailed += o.BatchesFailed
	c.BatchesAnswered += o.BatchesAnswered
	c.BatchesUnsent += o.BatchesUnsent
	c.ItemsSent += o.ItemsSent
	c.ItemsAccepted += o.ItemsAccepted
	c.ItemsRejected += o.ItemsRejected
	c.BytesSent += o.BytesSent
}

// Report is the outcome of a load. Latencies are of accepted batches only.
type Report struct {
	URL         string  `json:"url"`
	Loop        string  `json:"loop"` // open or closed
	Seed        uint64  `json:"seed"`
	Concurrency int     `json:"concurrency"`
	BatchSize   int     `json:"batch_size"`
	TargetEPS   float64 `json:"target_eps,omitempty"`
	Mix         string  `json:"mix"` // requests:spans:events
	ElapsedS    float64 `json:"elapsed_s"`

	Counts
	AcceptedEPS float64 `json:"accepted_eps"` // items a second

	// Latency counts from the time a batch was due (open loop) or sent (closed).
	Latency sender.Latency `json:"latency_ms"`
	// Response counts from the sending; in a closed loop it equals Latency.
	Response sender.Latency `json:"response_ms"`

	ErrorSamples []string        `json:"error_samples,omitempty"`
	SenderCPUS   float64         `json:"sender_cpu_s"` // this process, user and system
	SenderCores  float64         `json:"sender_cores"` // the same, divided by the time
	Machine      machine.Machine `json:"machine"`      // where the sender ran
	GoVersion    string          `json:"go"`           // that compiled the sender
	Version      string          `json:"version"`      // of trackway; set by the command
	StartedAt    string          `json:"started_at"`   // RFC 3339, UTC
	Stored       *Stored         `json:"stored,omitempty"`
}

// Stored is what a load added to the store, when the command could ask it.
type Stored struct {
	Engine   string `json:"engine"` // ClickHouse version
	Requests int64  `json:"requests"`
	Spans    int64  `json:"spans"`
	Events   int64  `json:"events"` // with the exceptions of failed requests
}

func (r *loadRun) report(workers []*loadWorker, elapsed, cpu time.Duration) Report {
	report := Report{
		URL: r.sender.url, Loop: "closed", Seed: r.options.Seed, Concurrency: r.options.Concurrency,
		BatchSize: r.options.BatchSize, TargetEPS: r.options.TargetEPS, Mix: r.options.Mix.String(),
		ElapsedS:   elapsed.Seconds(),
		SenderCPUS: cpu.Seconds(), SenderCores: cpu.Seconds() / elapsed.Seconds(),
		Machine: machine.This(), GoVersion: runtime.Version(), StartedAt: r.start.UTC().Format(time.RFC3339),
	}
	latency := sender.NewHistogram()
	response := sender.NewHistogram()
	for _, w := range workers {
		report.add(w.counts)
		latency.Merge(w.latency)
		response.Merge(w.response)
		for _, s := range w.samples {
			if len(report.ErrorSamples) < 5 && !slices.Contains(report.ErrorSamples, s) {
				report.ErrorSamples = append(report.ErrorSamples, s)
			}
		}
	}
	if r.total > 0 {
		report.Loop = "open"
		report.BatchesUnsent = max(r.total-r.taken.Load(), 0)
	}
	report.AcceptedEPS = float64(report.ItemsAccepted) / elapsed.Seconds()
	report.Latency, report.Response = sender.NewLatency(latency), sender.NewLatency(response)
	return report
}

// WriteText prints the report for people.
func (r Report) WriteText(w io.Writer) error {
	engine := ""
	target := "closed loop"
	if r.Loop == "open" {
		target = fmt.Sprintf("open loop, %.0f items/s asked for", r.TargetEPS)
	}
	_, err := fmt.Fprintf(w, `load        %s; %d connections × %d items, mix %s (requests:spans:events), seed %d
throughput  %.0f items/s accepted, %.1f MB/s sent, %.1f s
items       %d sent, %d accepted, %d rejected
batches     %d accepted, %d refused (429), %d failed, %d unsent
latency     %s
`, target, r.Concurrency, r.BatchSize, r.Mix, r.Seed,
		r.AcceptedEPS, float64(r.BytesSent)/1e6/r.ElapsedS, r.ElapsedS,
		r.ItemsSent, r.ItemsAccepted, r.ItemsRejected,
		r.BatchesAccepted, r.BatchesRefused, r.BatchesFailed, r.BatchesUnsent,
		r.Latency)
	if err != nil {
		return err
	}
	if r.Loop == "open" {
		if _, err := fmt.Fprintf(w, "response    %s (from the sending)\n", r.Response); err != nil {
			return err
		}
	}
	for _, sample := range r.ErrorSamples {
		if _, err := fmt.Fprintf(w, "error       %s\n", sample); err != nil {
			return err
		}
	}
	if r.Stored != nil {
		_, err := fmt.Fprintf(w, "stored      %d requests, %d spans, %d events (with the exceptions of failed requests)\n",
			r.Stored.Requests, r.Stored.Spans, r.Stored.Events)
		if err != nil {
			return err
		}
		engine = ", engine " + r.Stored.Engine
	}
	_, err = fmt.Fprintf(w, "sender      %.2f s of CPU, %.2f cores\nmachine     %s\nversions    trackway %s, %s%s\n",
		r.SenderCPUS, r.SenderCores, r.Machine, r.Version, r.GoVersion, engine)
	return err
}
