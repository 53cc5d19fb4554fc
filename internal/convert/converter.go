package convert

import (
	"time"
	"unsafe"

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
	// TTLDays is how long records are kept, in days; at least 1.
	TTLDays uint16
}

// Converter makes records of pdata. It is safe for concurrent use, and never
// changes what it reads. Records keep referring to the strings of the pdata.
type Converter struct {
	opts Options
	caps *caps
}

// New returns a converter.
func New(o Options) *Converter { return &Converter{opts: o, caps: newCaps()} }

// OverCap gives how many values of each field in FieldNames were replaced by
// Other since the start.
func (c *Converter) OverCap() (counts [fieldCount]uint64) {
	for i := range counts {
		counts[i] = c.caps.over[i].Load()
	}
	return counts
}

// Batch is what one delivery was made into.
type Batch struct {
	Records []record.Record
	// Items is how many items Records came from; dropped ones are not among them.
	Items int
	// Dropped counts items by Reason.
	Dropped [reasonCount]int
	// Bytes estimates what the records hold in memory.
	Bytes int
}

const recordSize = int(unsafe.Sizeof(record.Record{}))

// builder makes the batch of one delivery.
type builder struct {
	conv  *Converter
	src   ids.Source
	clock clock
	index int // of the next item
	out   Batch

	// pairs and strs are arenas: records hold slices of them, so that a record
	// costs no allocation of its own. Growing leaves earlier slices valid.
	pairs []record.Pair
	strs  []string
	spill []byte // key=value lines of keys beyond the cap

	res resourceInfo
}

func (c *Converter) builder(src ids.Source, now time.Time, items int) *builder {
	return &builder{
		conv:  c,
		src:   src,
		clock: newClock(now, c.opts.TTLDays),
		out:   Batch{Records: make([]record.Record, 0, items)},
		pairs: make([]record.Pair, 0, 8*items),
		strs:  make([]string, 0, 8*items),
	}
}

// nextID gives the id of the next item.
func (b *builder) nextID() record.ItemID {
	id := b.src.ID(b.res.project, b.index)
	b.index++
	return id
}

// add appends an empty record of the current resource and scope and gives it.
func (b *builder) add(kind record.Kind) *record.Record {
	b.out.Records = append(b.out.Records, record.Record{
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
		TTLDays:      b.conv.opts.TTLDays,
	})
	b.out.Bytes += recordSize
	return &b.out.Records[len(b.out.Records)-1]
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
