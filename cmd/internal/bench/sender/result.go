package sender

import "github.com/trackwayhq/trackway/cmd/internal/bench/workload"

// Message is one line of JSON on the sender's stdout. Exactly one field is set.
type Message struct {
	Ready     *Ready    `json:"ready,omitempty"`     // bodies are prepared; a line on stdin starts the clock
	Measuring bool      `json:"measuring,omitempty"` // the warm-up is over
	Interval  *Interval `json:"interval,omitempty"`  // once a second
	Sent      bool      `json:"sent,omitempty"`      // the last answer is in
	Result    *Result   `json:"result,omitempty"`    // the last line
}

// Ready says what was prepared.
type Ready struct {
	Bodies       int     `json:"bodies"`
	BytesPerItem float64 `json:"bytes_per_item"`
}

// Counts adds up what happened to bodies and their items.
type Counts struct {
	BatchesSent     int64 `json:"batches_sent"`
	BatchesAccepted int64 `json:"batches_accepted"`
	// Refused bodies were answered 429, or 503 with a Retry-After.
	Refused429 int64 `json:"refused_429"`
	Refused503 int64 `json:"refused_503"`
	// Failed bodies were answered otherwise, or not at all.
	Failed int64 `json:"failed"`
	// Unsent bodies were due and never sent: the endpoint was too slow.
	Unsent int64 `json:"unsent"`

	ItemsSent     int64 `json:"items_sent"`
	ItemsAccepted int64 `json:"items_accepted"`
	ItemsRejected int64 `json:"items_rejected"`
	// ItemsUnknown may have been stored although they were not accepted: their
	// bodies were answered 503 or not at all.
	ItemsUnknown int64 `json:"items_unknown"`
	BytesSent    int64 `json:"bytes_sent"`

	// Accepted items by kind.
	Requests int64 `json:"requests"`
	Spans    int64 `json:"spans"`
	Events   int64 `json:"events"`
}

func (c *Counts) add(o *Counts) {
	c.BatchesSent += o.BatchesSent
	c.BatchesAccepted += o.BatchesAccepted
	c.Refused429 += o.Refused429
	c.Refused503 += o.Refused503
	c.Failed += o.Failed
	c.Unsent += o.Unsent
	c.ItemsSent += o.ItemsSent
	c.ItemsAccepted += o.ItemsAccepted
	c.ItemsRejected += o.ItemsRejected
	c.ItemsUnknown += o.ItemsUnknown
	c.BytesSent += o.BytesSent
	c.Requests += o.Requests
	c.Spans += o.Spans
	c.Events += o.Events
}

func (c *Counts) sent(b *workload.Body) {
	c.BatchesSent++
	c.ItemsSent += int64(b.Items())
	c.BytesSent += int64(len(b.Content))
}

func (c *Counts) accepted(b *workload.Body, rejected int64) {
	c.BatchesAccepted++
	c.ItemsAccepted += int64(b.Items()) - rejected
	c.ItemsRejected += rejected
	c.Requests += int64(b.Requests)
	c.Spans += int64(b.Spans)
	c.Events += int64(b.Events)
}

// Interval is about one second of a run.
type Interval struct {
	At       float64 `json:"at"` // seconds since the start of the warm-up, its end
	Accepted int64   `json:"accepted"`
	Refused  int64   `json:"refused"` // bodies
	Failed   int64   `json:"failed"`  // bodies
	P50      float64 `json:"p50_ms"`
	P99      float64 `json:"p99_ms"`
	Max      float64 `json:"max_ms"`
}

// Result is what a sender measured.
type Result struct {
	All      Counts  `json:"all"`      // with the warm-up
	Measured Counts  `json:"measured"` // after it
	Seconds  float64 `json:"seconds"`  // measured
	// Latency counts from when a body was due, Response from when it was sent; in
	// a closed loop that is the same. Accepted bodies after the warm-up only.
	Latency  Latency `json:"latency"`
	Response Latency `json:"response"`
	// RetryAfter is what refusals asked for, in milliseconds.
	RetryAfter Latency `json:"retry_after"`
	// Statuses counts answers other than 200, 429 and 503.
	Statuses map[int]int64 `json:"statuses,omitempty"`
	Samples  []string      `json:"error_samples,omitempty"`
}
