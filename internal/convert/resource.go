package convert

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/record"
)

// Attributes under which we keep what has no attribute of its own.
const (
	prefixScope       = "otel.scope."
	attrSpanName      = "otel.span.name"
	attrStatusMessage = "otel.status_description"
)

// resourceInfo is what all records of one resource and scope share.
type resourceInfo struct {
	project string
	caps    *projectCaps

	service, env, release, instance string
	scopeName, scopeVersion         string

	attributes  record.Pairs
	correlation record.Pairs // of the resource itself
	scope       record.Pairs // scope attributes, prefixed

	kept    int  // pairs of the resource in the arena
	leftOut bool // attributes of the resource, or of the scope too, once that is read
	lacks   bool // attributes of the resource
}

// resource reads a resource; it says no when the resource has no valid project.
func (b *builder) resource(attrs pcommon.Map) bool {
	b.res, b.left = resourceInfo{}, [partCount]int{}
	b.pairs, b.names = b.pairs[:0], b.names[:0]
	v, ok := attrs.Get(conventions.Project)
	if !ok || v.Type() != pcommon.ValueTypeStr || !conventions.ValidProject(v.Str()) {
		return false
	}
	b.res.project = v.Str()
	if days := b.conv.ttlDays(b.res.project); days != b.clock.ttlDays {
		b.clock = newClock(b.clock.now, days)
	}
	b.res.caps = b.conv.caps.project(b.res.project, b.clock.now)

	var r record.Record
	var p promoted
	start := len(b.pairs)
	room := b.conv.opts.Limits.MaxAttributes
	for k, v := range attrs.All() {
		if k == conventions.Project || strings.HasPrefix(k, conventions.CorrelationPrefix) {
			continue
		}
		to := record.PromotedResource(k)
		if room == 0 && to == nil {
			b.leaveOut(partAttributes, 1)
			continue
		}
		s := v.AsString()
		if to != nil && b.take(&r, &p, to, k, s) {
			continue
		}
		if room--; room < 0 {
			room = 0
			b.leaveOut(partAttributes, 1)
			continue
		}
		b.pair(k, s)
	}
	r.Service = b.capped(fieldService, r.Service)
	r.Env = b.capped(fieldEnv, r.Env)
	r.Release = b.capped(fieldRelease, r.Release)
	b.res.service, b.res.env, b.res.release, b.res.instance = r.Service, r.Env, r.Release, r.Instance
	b.keepUnrestorable(&r, &p, start)
	b.spillPairs()
	b.res.attributes = b.pairsFrom(start)

	start = len(b.pairs)
	room = b.conv.opts.Limits.MaxAttributes
	for k, v := range attrs.All() {
		if key, ok := strings.CutPrefix(k, conventions.CorrelationPrefix); ok {
			if room == 0 {
				b.leaveOut(partAttributes, 1)
				continue
			}
			room--
			b.correlate(key, v.AsString())
		}
	}
	b.res.correlation = b.pairsFrom(start)
	b.res.kept = len(b.pairs)
	b.res.lacks = b.left[partAttributes] > 0
	return true
}

// scope reads the scope that the next records come from.
func (b *builder) scope(s pcommon.InstrumentationScope) {
	b.pairs = b.pairs[:b.res.kept]
	start := len(b.pairs)
	b.left = [partCount]int{}
	b.attributesOf(s.Attributes(), func(k string, v pcommon.Value) { b.pair(prefixScope+k, v.AsString()) })
	b.res.leftOut = b.res.lacks || b.left[partAttributes] > 0
	b.res.scopeName = b.orPair(fieldScope, "otel.scope.name", s.Name())
	b.res.scopeVersion = b.orPair(fieldScopeVersion, "otel.scope.version", s.Version())
	b.spillPairs()
	b.res.scope = b.pairsFrom(start)
	b.kept = len(b.pairs)
}

// promote puts v into a column that is still empty and says whether the column
// now holds it.
func promote(column *string, v string) bool {
	if *column == "" {
		*column = v
		return true
	}
	return *column == v
}

// pair appends an entry to the map column being built. A key beyond the cap goes
// to the entry (other), as a line key=value.
func (b *builder) pair(key, value string) *attrKey {
	return b.append(b.res.caps.key(key), key, value)
}

// pairOf is pair for an attribute whose name has been read.
func (b *builder) pairOf(n *attrName, value string) *attrKey {
	return b.append(b.key(n), n.sent, value)
}

func (b *builder) append(k *attrKey, key, value string) *attrKey {
	if k == nil {
		b.spill = append(b.spill, key...)
		b.spill = append(b.spill, '=')
		b.spill = append(b.spill, value...)
		b.spill = append(b.spill, '\n')
		return nil
	}
	b.pairs = append(b.pairs, record.Pair{Key: k.name, Value: value})
	return k
}

// spillPairs appends the entry (other) when keys were beyond the cap.
func (b *builder) spillPairs() {
	if len(b.spill) == 0 {
		return
	}
	b.pairs = append(b.pairs, record.Pair{Key: Other, Value: string(b.spill)})
	b.spill = b.spill[:0]
}

// correlate appends a correlation key.
func (b *builder) correlate(key, value string) {
	if correlates(key, value) {
		b.pair(key, value)
	}
}

// correlates says whether a correlation key can be one. Empty values join nothing
// and masked ones would join everybody.
func correlates(key, value string) bool {
	return key != "" && value != "" && value != conventions.Mask
}

// orPair gives what a capped column holds for v, and keeps v as an attribute
// when that is not v itself.
func (b *builder) orPair(f field, attr, v string) string {
	c := b.capped(f, v)
	if c == Other && v != Other {
		b.pair(attr, v)
	}
	return c
}
