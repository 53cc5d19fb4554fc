package workload

import "fmt"

// Format is the encoding of bodies.
type Format string

// The formats.
const (
	NDJSON Format = "ndjson" // POST /v1/ingest
	OTLP   Format = "otlp"   // protobuf; POST /v1/traces and /v1/logs
)

// Options say what to prepare.
type Options struct {
	Seed   uint64 `json:"seed"`
	Format Format `json:"format"`
	Mix    Mix    `json:"mix"`
	Batch  int    `json:"batch"` // items a body
	Bodies int    `json:"bodies"`
	// SpreadDays above 0 draws times from so many days back; otherwise the items of
	// a body are 10 µs apart and end now.
	SpreadDays int `json:"spread_days,omitempty"`
}

// Validate says which option is out of range.
func (o Options) Validate() error {
	switch {
	case o.Format != NDJSON && o.Format != OTLP:
		return fmt.Errorf("format: want %s or %s, got %q", NDJSON, OTLP, o.Format)
	case o.Batch < 1 || o.Batch > 1_000_000:
		return fmt.Errorf("batch: want 1 to 1000000 items, got %d", o.Batch)
	case o.Bodies < 1:
		return fmt.Errorf("bodies: want at least 1, got %d", o.Bodies)
	case o.SpreadDays < 0 || o.SpreadDays > 29:
		return fmt.Errorf("spread_days: want 0 to 29, less than the retention, got %d", o.SpreadDays)
	}
	return nil
}

// Cycle is how many bodies hold the mix between them: one, unless kinds have
// endpoints of their own.
func (o Options) Cycle() int {
	if mix := o.Mix.normal(); o.Format == OTLP && mix.Events > 0 {
		return mix.total()
	}
	return 1
}

// Body is a prepared request body. Its length never changes.
type Body struct {
	Content     []byte
	Path        string // of the endpoint
	ContentType string
	Requests    int
	Spans       int
	Events      int

	options *Options
	items   []places
}

// Items is the number of items of any kind.
func (b *Body) Items() int { return b.Requests + b.Spans + b.Events }

// places are the offsets of what Stamp changes of one item; -1 where the item has
// no such field.
type places struct {
	begins   bool // a new trace
	place    int  // within the trace
	micros   int64
	start    int
	end      int // binary encodings only
	trace    int
	span     int
	parent   int
	requests [2]int // the request id, as a field and as a correlation key
}

// Prepare makes the bodies of a run.
func Prepare(o Options) ([]*Body, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	bodies := make([]*Body, 0, o.Bodies)
	if o.Format == NDJSON {
		g := newGenerator(o.Seed, o.Mix)
		for range o.Bodies {
			bodies = append(bodies, ndjsonBody(g, &o))
		}
		return bodies, nil
	}
	return otlpBodies(&o), nil
}
