package correlationprocessor

import (
	"context"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/processor/correlationprocessor/internal/metadata"
)

// Reasons a key is left out; values of the refused keys' counter.
const (
	reasonMasked = iota
	reasonTooLong
	reasonTooMany
	reasonNotScalar
	numReasons
)

var reasonNames = [numReasons]string{"masked", "too_long", "too_many", "not_scalar"}

// source is one attribute that gives a key.
type source struct {
	attribute string // of the key, with its prefix
	rank      int    // position in from: the lowest that is there counts
}

type correlation struct {
	cfg       *Config
	sources   map[string]source // by the attribute they are read from
	telemetry *metadata.TelemetryBuilder
}

func newCorrelation(set processor.Settings, cfg *Config) (*correlation, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	sources := make(map[string]source)
	for _, keys := range [...][]KeyConfig{cfg.Keys, cfg.AdditionalKeys} {
		for _, k := range keys {
			for rank, from := range k.From {
				if _, taken := sources[from]; !taken {
					sources[from] = source{conventions.CorrelationPrefix + k.Key, rank}
				}
			}
		}
	}
	return &correlation{cfg: cfg, sources: sources, telemetry: telemetry}, nil
}

// found is a key of a record before it is written.
type found struct {
	attribute string
	value     pcommon.Value
	rank      int
}

// keys are those of one record, gathered before any is written, since writing
// moves what the values point to. It is reused from record to record.
type keys struct {
	list    []found
	values  []string
	refused [numReasons]int64
}

// ranks: a key the sender set itself wins over attributes, these over baggage,
// and the record's own over those of the resource.
const (
	rankSender   = -1
	rankBaggage  = 1 << 10
	rankResource = 1 << 20
)

func (ks *keys) add(attribute string, v pcommon.Value, rank int) {
	for i := range ks.list {
		if ks.list[i].attribute == attribute {
			if rank < ks.list[i].rank {
				ks.list[i] = found{attribute, v, rank}
			}
			return
		}
	}
	ks.list = append(ks.list, found{attribute, v, rank})
}

// gather finds the keys among attributes.
func (c *correlation) gather(ks *keys, attrs pcommon.Map, base int) {
	for k, v := range attrs.All() {
		if s, ok := c.sources[k]; ok {
			ks.add(s.attribute, v, base+s.rank)
		}
		if key, ok := strings.CutPrefix(k, conventions.CorrelationPrefix); ok {
			if to, renamed := c.cfg.Rename[key]; renamed {
				k = conventions.CorrelationPrefix + to
			}
			ks.add(k, v, base+rankSender)
		} else if c.cfg.BaggagePrefix != "" {
			if key, ok := strings.CutPrefix(k, c.cfg.BaggagePrefix); ok && keyName.MatchString(key) {
				ks.add(conventions.CorrelationPrefix+key, v, base+rankBaggage)
			}
		}
	}
}

// record writes the keys of one record: those found among its attributes and,
// where it has none of its own, those of its resource.
func (c *correlation) record(ks *keys, attrs pcommon.Map, resource []found) {
	ks.list = ks.list[:0]
	c.gather(ks, attrs, 0)
	for _, r := range resource {
		ks.add(r.attribute, r.value, r.rank)
	}
	if len(ks.list) == 0 {
		return
	}
	ks.values = ks.values[:0]
	kept := ks.list[:0]
	for _, f := range ks.list {
		value, ok := c.value(ks, f.value, len(kept))
		if ok {
			kept = append(kept, f)
			ks.values = append(ks.values, value)
		}
	}
	// Written anew, so that what was refused or renamed is gone.
	removeKeys(attrs)
	for i, f := range kept {
		attrs.PutStr(f.attribute, ks.values[i])
	}
	ks.list = kept
}

// value gives a key's value, or refuses and counts it. An empty value is no key.
func (c *correlation) value(ks *keys, v pcommon.Value, have int) (string, bool) {
	switch v.Type() {
	case pcommon.ValueTypeStr, pcommon.ValueTypeInt, pcommon.ValueTypeDouble, pcommon.ValueTypeBool:
	case pcommon.ValueTypeSlice:
		// Headers are arrays by the conventions; one of them is a value.
		if v.Slice().Len() == 1 && v.Slice().At(0).Type() == pcommon.ValueTypeStr {
			v = v.Slice().At(0)
			break
		}
		fallthrough
	default:
		if v.Type() != pcommon.ValueTypeEmpty {
			ks.refused[reasonNotScalar]++
		}
		return "", false
	}
	s := v.AsString()
	switch {
	case s == "":
		return "", false
	case s == conventions.Mask:
		ks.refused[reasonMasked]++
	case len(s) > c.cfg.MaxValueLength:
		ks.refused[reasonTooLong]++
	case have >= c.cfg.MaxKeys:
		ks.refused[reasonTooMany]++
	default:
		return s, true
	}
	return "", false
}

// resource finds the keys of a resource, which hold for all its records, and
// takes those the sender set itself off it, so that every key passes the limits.
func (c *correlation) resource(ks *keys, r pcommon.Resource) []found {
	ks.list = ks.list[:0]
	c.gather(ks, r.Attributes(), rankResource)
	if len(ks.list) == 0 {
		return nil
	}
	own := make([]found, len(ks.list))
	for i, f := range ks.list {
		own[i] = found{f.attribute, pcommon.NewValueEmpty(), f.rank}
		f.value.CopyTo(own[i].value)
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
				c.record(&ks, s.Attributes(), resource)
			}
		}
	}
	c.count(ctx, &ks)
	return td, nil
}

func (c *correlation) logs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	var ks keys
	for _, rl := range ld.ResourceLogs().All() {
		resource := c.resource(&ks, rl.Resource())
		for _, sl := range rl.ScopeLogs().All() {
			for _, l := range sl.LogRecords().All() {
				c.record(&ks, l.Attributes(), resource)
			}
		}
	}
	c.count(ctx, &ks)
	return ld, nil
}

func (c *correlation) count(ctx context.Context, ks *keys) {
	for reason, n := range ks.refused {
		if n > 0 {
			c.telemetry.ProcessorCorrelationRefusedKeys.Add(ctx, n,
				metric.WithAttributeSet(attribute.NewSet(attribute.String("reason", reasonNames[reason]))))
		}
	}
}
