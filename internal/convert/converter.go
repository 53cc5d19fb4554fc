package convert

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/trackwayhq/trackway/internal/ids"
	"github.com/trackwayhq/trackway/internal/record"
)

// Reason says why an item was dropped.
type Reason uint8

// The reasons.
const (
	// TooOld items are older than the retention.
	TooOld Reason = iota
	// NoProject items carry no valid project: nobody may read them.
	NoProject

	reasonCount
)

// String is the reason's name in metrics and in the ledger.
func (r Reason) String() string { return [...]string{"too_old", "no_project"}[r] }

// Reasons are all reasons.
func Reasons() []Reason { return []Reason{TooOld, NoProject} }

// Options configure a Converter.
type Options struct {
	Limits Limits
	// TTLDays is how long records are kept, in days; at least 1.
	TTLDays uint16
	// ProjectTTLDays gives that of a project with a setting of its own; nil when
	// there are none.
	ProjectTTLDays func(project string) (days uint16, ok bool)
}

// Converter makes records of pdata. It is safe for concurrent use, and never
// changes what it reads. Records refer to the strings of the pdata.
type Converter struct {
	opts    Options
	caps    *caps
	leftOut [partCount]atomic.Uint64
}

// New returns a converter. Limits that are 0 are the defaults.
func New(o Options) *Converter {
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits()
	}
	return &Converter{opts: o, caps: newCaps()}
}

// ttlDays is for how many days a project keeps its records.
func (c *Converter) ttlDays(project string) uint16 {
	if c.opts.ProjectTTLDays != nil {
		if days, ok := c.opts.ProjectTTLDays(project); ok && days > 0 {
			return days
		}
	}
	return c.opts.TTLDays
}

// OverCap gives how many values of each field in FieldNames were replaced by
// Other since the start.
func (c *Converter) OverCap() (counts [fieldCount]uint64) {
	for i := range counts {
		counts[i] = c.caps.over[i].Load()
	}
	return counts
}

// Sink takes the records of a delivery one by one, item by item. columns.Batch is
// one.
type Sink interface {
	// BeginItem says that the records that follow are those of one more item.
	BeginItem(project string)
	// Append takes a record of the item. The record, and the slices in it, are used
	// again when Append has returned.
	Append(r *record.Record)
}

// Summary is what became of one delivery.
type Summary struct {
	// Items is how many items records were made of; dropped ones are not among them.
	Items int
	// Dropped counts items by Reason.
	Dropped [reasonCount]int
}

// builder makes the records of one delivery. It is used again for others.
type builder struct {
	conv  *Converter
	sink  Sink
	src   ids.Source
	clock clock
	index int // of the next item
	out   Summary

	rec record.Record // the one being made
	// pairs and strs are arenas: the record holds slices of them, so that it costs
	// no allocation of its own. Growing leaves earlier slices valid. Behind kept is
	// what belongs to the current item.
	pairs []record.Pair
	strs  []string
	kept  int
	spill []byte         // key=value lines of keys beyond the cap
	names []*attrName    // of the attributes being converted
	left  [partCount]int // what was left out of the record being made

	res resourceInfo
}

// builders are kept for the memory of their arenas.
var builders = sync.Pool{New: func() any { return &builder{} }}

func (c *Converter) builder(src ids.Source, now time.Time, sink Sink) *builder {
	b := builders.Get().(*builder)
	*b = builder{conv: c, sink: sink, src: src, clock: newClock(now, c.opts.TTLDays), pairs: b.pairs[:0], strs: b.strs[:0], spill: b.spill[:0], names: b.names[:0]}
	return b
}

// release gives what was made and puts the builder by. It lets go of the strings
// of the delivery.
func (b *builder) release() Summary {
	out := b.out
	clear(b.pairs[:cap(b.pairs)])
	clear(b.strs[:cap(b.strs)])
	*b = builder{pairs: b.pairs[:0], strs: b.strs[:0], spill: b.spill[:0], names: b.names[:0]}
	builders.Put(b)
	return out
}

// begin begins the next item and gives its id.
func (b *builder) begin() record.ItemID {
	id := b.src.ID(b.res.project, b.index)
	b.index++
	b.out.Items++
	b.left = [partCount]int{}
	b.pairs, b.strs = b.pairs[:b.kept], b.strs[:0]
	b.sink.BeginItem(b.res.project)
	return id
}

// record gives an empty record of the current resource and scope. There is one at
// a time.
func (b *builder) record(kind record.Kind) *record.Record {
	b.rec = record.Record{
		Kind:         kind,
		Project:      b.res.project,
		Service:      b.res.service,
		Env:          b.res.env,
		Release:      b.res.release,
		Instance:     b.res.instance,
		Resource:     b.res.attributes,
		ScopeName:    b.res.scopeName,
		ScopeVersion: b.res.scopeVersion,
		Weight:       unitWeight,
		TTLDays:      b.clock.ttlDays,
	}
	return &b.rec
}

// drop counts n items that become no record.
func (b *builder) drop(r Reason, n int) {
	b.out.Dropped[r] += n
	b.index += n
}

// pairsFrom gives the pairs appended since start, cut so that appending to one
// record's pairs cannot reach another's.
func (b *builder) pairsFrom(start int) record.Pairs {
	if start == len(b.pairs) {
		return nil
	}
	return record.Pairs(b.pairs[start:len(b.pairs):len(b.pairs)])
}

func (b *builder) strsFrom(start int) []string {
	if start == len(b.strs) {
		return nil
	}
	return b.strs[start:len(b.strs):len(b.strs)]
}

// cap gives v or what stands for it in a capped column.
func (b *builder) capped(f field, v string) string {
	return b.res.caps.value(f, v)
}
