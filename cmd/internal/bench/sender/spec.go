package sender

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

// Spec says what to send, where and how fast. It is one line of JSON on the
// sender's stdin.
type Spec struct {
	Workload    workload.Options `json:"workload"` // Bodies 0: as many as Connections keep busy
	URL         string           `json:"url"`      // http://host:port
	Connections int              `json:"connections"`
	// Rate in items a second makes the loop open: bodies are due at fixed times, and
	// latency counts from the time a body was due. 0 makes it closed: each
	// connection sends its next body when the last is answered.
	Rate float64 `json:"rate,omitempty"`
	// BurstEvery and BurstLength make an open loop offer what is due in BurstEvery
	// during its first BurstLength.
	BurstEvery  Seconds `json:"burst_every,omitempty"`
	BurstLength Seconds `json:"burst_length,omitempty"`

	Warmup   Seconds `json:"warmup"`   // sent and counted, not measured
	Duration Seconds `json:"duration"` // measured
	// MaxBatches above 0 ends the run after so many bodies.
	MaxBatches uint64 `json:"max_batches,omitempty"`
	// FirstBatch numbers the first body: the identifiers of its items follow from
	// it.
	FirstBatch uint64 `json:"first_batch,omitempty"`
	// Keys are ingest keys to send with; batches take them in turn.
	Keys []string `json:"keys,omitempty"`
}

// Seconds is a duration that JSON has in seconds.
type Seconds float64

// Duration is the time.Duration of s.
func (s Seconds) Duration() time.Duration { return time.Duration(float64(s) * float64(time.Second)) }

// Limits of what can be asked for: beyond them, the sender measures itself.
const (
	maxConnections = 10_000
	maxRate        = 100_000_000
)

// Validate says which field is out of range.
func (s *Spec) Validate() error {
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Scheme != "http" || u.Host == "":
		return fmt.Errorf("url: want http://host:port, got %q", s.URL)
	case s.Connections < 1 || s.Connections > maxConnections:
		return fmt.Errorf("connections: want 1 to %d, got %d", maxConnections, s.Connections)
	case !(s.Rate >= 0 && s.Rate <= maxRate): // NaN neither
		return fmt.Errorf("rate: want 0 for a closed loop, or at most %d items a second, got %g", maxRate, s.Rate)
	case !(s.Duration > 0) || s.Warmup < 0:
		return fmt.Errorf("duration and warmup: want more than 0 s and not less than 0 s, got %g and %g", s.Duration, s.Warmup)
	case s.BurstEvery != 0 && s.Rate == 0:
		return errors.New("burst_every: only an open loop has bursts, set rate")
	case s.BurstEvery != 0 && !(s.BurstLength > 0 && s.BurstLength <= s.BurstEvery):
		return fmt.Errorf("burst_length: want more than 0 s and at most burst_every, got %g", s.BurstLength)
	}
	return nil
}

// prepared bounds the memory of prepared bodies, in items of about 450 bytes.
const prepared = 100_000

// bodies is how many bodies to prepare: enough that the collector sees different
// ones, few enough to fit into memory. Those of a connection hold the whole mix.
func (s *Spec) bodies() int {
	each := min(max(prepared/(s.Workload.Batch*s.Connections), 2), 64)
	cycle := s.Workload.Cycle()
	return s.Connections * cycle * ((each + cycle - 1) / cycle)
}
