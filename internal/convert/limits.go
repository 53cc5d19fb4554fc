package convert

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Limits bound what one span or log record may have. What is beyond them is left
// out, counted, and marked on the record. OpenTelemetry's SDKs allow 128 of each by
// default, but a sender need not be one of them.
type Limits struct {
	// MaxAttributes of a span, log record, event, link, resource or scope.
	MaxAttributes int `mapstructure:"max_attributes"`
	// MaxEvents and MaxLinks of a span.
	MaxEvents int `mapstructure:"max_events"`
	MaxLinks  int `mapstructure:"max_links"`
}

// DefaultLimits are eight times those of the SDKs.
func DefaultLimits() Limits { return Limits{MaxAttributes: 1024, MaxEvents: 1024, MaxLinks: 1024} }

// part is what an item has many of.
type part uint8

const (
	partAttributes part = iota
	partEvents
	partLinks
	partCount
)

// PartNames are the names under which what was left out is counted.
var PartNames = [partCount]string{partAttributes: "attributes", partEvents: "events", partLinks: "links"}

// partMarks are what a record is marked with that lacks some.
var partMarks = [partCount]string{partAttributes: "attributes_left_out", partEvents: "events_left_out", partLinks: "links_left_out"}

// leaveOut adds n of a part to the item's and to the converter's count.
func (b *builder) leaveOut(p part, n int) {
	if n > 0 {
		b.left[p] += n
		b.conv.leftOut[p].Add(uint64(n))
	}
}

// over leaves out what an item has of a part beyond the limit, and gives what it
// keeps.
func (b *builder) over(p part, has, limit int) int {
	b.leaveOut(p, has-limit)
	return min(has, limit)
}

// LeftOut gives how many of each of PartNames were left out since the start.
func (c *Converter) LeftOut() (counts [partCount]uint64) {
	for i := range counts {
		counts[i] = c.leftOut[i].Load()
	}
	return counts
}

// beyond stands for the name of an attribute that is left out.
var beyond = &attrName{traits: traitBeyond}

// stays says whether an attribute that is one of so many stays. Those that our own
// processors add come last, and stay; they are bounded there.
func (b *builder) stays(n *attrName, so int) bool {
	limit := b.conv.opts.Limits.MaxAttributes
	return so < limit || n.traits&traitOurs != 0 && so < 2*limit
}

// attributesOf visits the attributes of a resource, scope or link up to the limit.
func (b *builder) attributesOf(m pcommon.Map, visit func(key string, v pcommon.Value)) {
	keep := b.over(partAttributes, m.Len(), b.conv.opts.Limits.MaxAttributes)
	for k, v := range m.All() {
		if keep == 0 {
			return
		}
		keep--
		visit(k, v)
	}
}
