package correlationprocessor

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/processor/correlationprocessor/internal/metadata"
)

// correlation is the processor, one for the traces and logs of a configuration.
// It may be used by several goroutines at once.
type correlation struct {
	sources  *sources
	values   *values
	distinct *distinctKeys
	carry    *carryCache     // nil: nothing is carried
	carries  map[string]bool // by the key's attribute; nil: every key
	maxKeys  int
	counters *counters
}

func newCorrelation(set processor.Settings, cfg *Config) (*correlation, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	carry, err := newCarryCache(cfg, time.Now)
	if err != nil {
		return nil, err
	}
	c := &correlation{
		sources: compileSources(cfg), values: newValues(cfg), distinct: newDistinctKeys(cfg),
		carry: carry, maxKeys: cfg.MaxKeys, counters: newCounters(telemetry),
	}
	for _, key := range cfg.CarryForward.Keys {
		if c.carries == nil {
			c.carries = map[string]bool{}
		}
		c.carries[conventions.CorrelationPrefix+key] = true
	}
	return c, nil
}

// found is a key of a record before it is written: an attribute's value, or text
// from inside of one.
type found struct {
	attribute string // of the key, with its prefix
	value     pcommon.Value
	text      string
	isText    bool
	compound  bool // text stands for an object or array
	written   bool // the record has the attribute already, as the sender set it
	rank      int
}

// keys are those of one record, gathered before any is written, since writing
// moves what the values point to. It is reused from record to record.
type keys struct {
	project  string
	list     []found
	own      int // attributes of the record that the sender set as keys
	pairs    []pair
	fresh    []pair // of them, those the trace did not have
	segments []string
	counts
}

func (ks *keys) add(f found) {
	for i := range ks.list {
		if ks.list[i].attribute == f.attribute {
			if f.rank < ks.list[i].rank {
				ks.list[i] = f
			}
			return
		}
	}
	ks.list = append(ks.list, f)
}

// record writes the keys of one record: those found among its attributes, where it
// has none of its own those of its resource, and then those of its trace.
func (c *correlation) record(ks *keys, trace pcommon.TraceID, attrs pcommon.Map, resource []found) {
	ks.list, ks.own = ks.list[:0], 0
	c.sources.gather(ks, attrs, 0)
	for i := range resource {
		ks.add(resource[i])
	}
	ks.pairs = ks.pairs[:0]
	unchanged := 0
	for i := range ks.list {
		f := &ks.list[i]
		value, reason, ok := c.values.of(f)
		switch {
		case !ok:
			if reason >= 0 {
				ks.refused[reason]++
			}
		case !validName(f.attribute):
			ks.refused[reasonName]++
		case len(ks.pairs) >= c.maxKeys:
			ks.refused[reasonTooMany]++
		case !c.distinct.admit(ks.project, f.attribute):
			ks.refused[reasonDistinct]++
		default:
			if f.written && f.value.Type() == pcommon.ValueTypeStr && f.value.Str() == value {
				unchanged++
			}
			ks.pairs = append(ks.pairs, pair{f.attribute, value})
		}
	}
	if c.carry != nil && !trace.IsEmpty() {
		c.carryForward(ks, trace)
	}
	if len(ks.list) == 0 && len(ks.pairs) == 0 {
		return
	}
	// Written anew where anything was refused, renamed or changed, so that it is gone.
	if unchanged != ks.own {
		removeKeys(attrs)
	}
	for _, p := range ks.pairs {
		attrs.PutStr(p.attribute, p.value)
	}
}

// validName says whether a key's name, behind the prefix, has a length to store.
func validName(attribute string) bool {
	n := len(attribute) - len(conventions.CorrelationPrefix)
	return n > 0 && n <= maxKeyName
}

// carryForward adds the keys of the trace that the record has not, and remembers
// its own.
func (c *correlation) carryForward(ks *keys, trace pcommon.TraceID) {
	k := traceKey{ks.project, trace}
	own := len(ks.pairs)
	known := c.carry.get(k)
	for _, p := range known {
		if indexPair(ks.pairs[:own], p.attribute) < 0 && len(ks.pairs) < c.maxKeys {
			ks.pairs = append(ks.pairs, p)
			ks.carried++
		}
	}
	fresh := ks.fresh[:0]
	for _, p := range ks.pairs[:own] {
		if c.carries != nil && !c.carries[p.attribute] {
			continue
		}
		if i := indexPair(known, p.attribute); i < 0 || known[i].value != p.value {
			fresh = append(fresh, p)
		}
	}
	if len(fresh) > 0 {
		c.carry.put(k, fresh)
	}
	ks.fresh = fresh
}

// resource finds the keys of a resource, which hold for all its records, and
// takes those the sender set itself off it, so that every key passes the limits.
func (c *correlation) resource(ks *keys, r pcommon.Resource) []found {
	ks.project = ""
	if project, ok := r.Attributes().Get(conventions.Project); ok {
		ks.project = project.Str()
	}
	ks.list = ks.list[:0]
	c.sources.gather(ks, r.Attributes(), rankResource)
	if len(ks.list) == 0 {
		return nil
	}
	own := make([]found, len(ks.list))
	for i, f := range ks.list {
		own[i] = f
		if !f.isText {
			own[i].value = pcommon.NewValueEmpty()
			f.value.CopyTo(own[i].value)
		}
	}
	removeKeys(r.Attributes())
	return own
}

func removeKeys(attrs pcommon.Map) {
	attrs.RemoveIf(func(k string, _ pcommon.Value) bool { return strings.HasPrefix(k, conventions.CorrelationPrefix) })
}

func (c *correlation) traces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	var ks keys
	for _, rs := range td.ResourceSpans().All() {
		resource := c.resource(&ks, rs.Resource())
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				c.record(&ks, s.TraceID(), s.Attributes(), resource)
			}
		}
	}
	c.counters.add(ctx, &ks.counts, c.carry)
	return td, nil
}

func (c *correlation) logs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	var ks keys
	for _, rl := range ld.ResourceLogs().All() {
		resource := c.resource(&ks, rl.Resource())
		for _, sl := range rl.ScopeLogs().All() {
			for _, l := range sl.LogRecords().All() {
				c.record(&ks, l.TraceID(), l.Attributes(), resource)
			}
		}
	}
	c.counters.add(ctx, &ks.counts, c.carry)
	return ld, nil
}
