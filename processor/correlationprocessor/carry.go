package correlationprocessor

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// traceKey names a trace. Two projects may have one trace id; neither sees what
// the other's records carry.
type traceKey struct {
	project string
	trace   pcommon.TraceID
}

// pair is a key, as its attribute, and its value.
type pair struct{ attribute, value string }

// carried are the keys of a trace. The pairs are never changed in place, so that
// they can be read when the lock is gone.
type carried struct {
	pairs []pair
	bytes int
	seen  time.Time
}

// What a trace and a pair cost in the cache beside their text: map and list
// entries, headers of strings and slices.
const (
	traceOverhead = 256
	pairOverhead  = 32
)

// Reasons a trace is forgotten; values of the evicted traces' counter.
const (
	forgotExpired = iota
	forgotMaxTraces
	forgotMaxBytes
	numForgot
)

var forgotNames = [numForgot]string{"ttl", "max_traces", "max_bytes"}

// carryCache remembers the keys of the traces seen last, bounded by number, bytes
// and time. It may be used by several goroutines at once.
type carryCache struct {
	maxTraces, maxBytes int
	maxPairs            int // of a trace
	ttl                 time.Duration
	now                 func() time.Time

	mu     sync.Mutex
	traces *simplelru.LRU[traceKey, *carried]
	bytes  int
	forgot [numForgot]int64 // since they were last taken
}

// newCarryCache gives nil where nothing is to be carried.
func newCarryCache(c *Config, now func() time.Time) (*carryCache, error) {
	if c.CarryForward.MaxTraces == 0 {
		return nil, nil
	}
	// We evict ourselves, by more than number, and count why.
	traces, err := simplelru.NewLRU[traceKey, *carried](math.MaxInt, nil)
	if err != nil {
		return nil, fmt.Errorf("carry_forward: %w", err)
	}
	return &carryCache{
		maxTraces: c.CarryForward.MaxTraces, maxBytes: c.CarryForward.MaxBytes, maxPairs: c.MaxKeys,
		ttl: c.CarryForward.TTL, now: now, traces: traces,
	}, nil
}

// get gives the keys of a trace; they must not be changed.
func (c *carryCache) get(k traceKey) []pair {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expire(now)
	t, ok := c.traces.Get(k)
	if !ok {
		return nil
	}
	t.seen = now
	return t.pairs
}

// put remembers keys of a trace, in the place of its former values.
func (c *carryCache) put(k traceKey, pairs []pair) {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expire(now)
	t, ok := c.traces.Get(k)
	if !ok {
		t = &carried{bytes: traceOverhead + len(k.project)}
		k.project = strings.Clone(k.project)
		c.traces.Add(k, t)
		c.bytes += t.bytes
	}
	t.seen = now
	copied := false
	for _, p := range pairs {
		i := indexPair(t.pairs, p.attribute)
		if i >= 0 && t.pairs[i].value == p.value || i < 0 && len(t.pairs) >= c.maxPairs {
			continue
		}
		if !copied { // a reader may hold the slice
			t.pairs, copied = append(make([]pair, 0, len(t.pairs)+len(pairs)), t.pairs...), true
		}
		// Cloned, since the text can be part of a whole body.
		value := strings.Clone(p.value)
		grown := len(value)
		if i >= 0 {
			grown -= len(t.pairs[i].value)
			t.pairs[i].value = value
		} else {
			grown += pairOverhead + len(p.attribute)
			t.pairs = append(t.pairs, pair{strings.Clone(p.attribute), value})
		}
		t.bytes += grown
		c.bytes += grown
	}
	for c.traces.Len() > c.maxTraces {
		c.forget(forgotMaxTraces)
	}
	for c.bytes > c.maxBytes && c.traces.Len() > 0 {
		c.forget(forgotMaxBytes)
	}
}

// expire forgets traces that were silent for long. The order of use is the order
// of silence, so the rest need not be looked at.
func (c *carryCache) expire(now time.Time) {
	for {
		_, t, ok := c.traces.GetOldest()
		if !ok || now.Sub(t.seen) <= c.ttl {
			return
		}
		c.forget(forgotExpired)
	}
}

func (c *carryCache) forget(reason int) {
	if _, t, ok := c.traces.RemoveOldest(); ok {
		c.bytes -= t.bytes
		c.forgot[reason]++
	}
}

// takeForgot gives how many traces were forgotten since the last call, by reason,
// and how many are remembered.
func (c *carryCache) takeForgot() (forgot [numForgot]int64, traces int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	forgot, c.forgot = c.forgot, [numForgot]int64{}
	return forgot, c.traces.Len()
}

func indexPair(pairs []pair, attribute string) int {
	for i := range pairs {
		if pairs[i].attribute == attribute {
			return i
		}
	}
	return -1
}
