package traceshape

import (
	"cmp"
	"slices"
)

// Span is what is known of a span. Times are nanoseconds.
type Span struct {
	ID, Parent [8]byte // no parent: zero
	Service    string
	Start      int64
	Duration   int64
}

// Note says what is unusual about a span.
type Note uint8

// Notes of a span, as bits.
const (
	// MissingParent: the span names a parent that is not there.
	MissingParent Note = 1 << iota
	// Cycle: the span's parents lead back to it; it is taken for a root.
	Cycle
	// Duplicate: an earlier span has the same id.
	Duplicate
	// Async: the span ends after its parent does.
	Async
	// Skewed: the span's clock is not its parent's; see Placed.Skew.
	Skewed
)

// Placed is a span in the tree.
type Placed struct {
	Parent   int   // index of the parent, -1 for a root
	Depth    int   // 0 for a root
	Skew     int64 // ns to be added to the span's start
	Self     int64 // ns in which none of its children ran
	Critical int64 // ns of the critical path that are its own
	Notes    Note
}

// Segment is a piece of the critical path: the span that the end of the trace
// waited for from From to To, in ns, skew added.
type Segment struct {
	Span     int
	From, To int64
}

// Shape is the tree of a trace. Spans keep their index.
type Shape struct {
	Spans []Placed
	// Roots are the spans without a parent, the earliest first.
	Roots []int
	// Path is the critical path of the root that lasts longest, in order of time.
	// Its segments cover the root without gap or overlap.
	Path []Segment
}

// Of gives the shape of a trace.
func Of(spans []Span) Shape {
	b := builder{spans: spans, placed: make([]Placed, len(spans)), children: make([][]int, len(spans))}
	b.link()
	b.openCycles()
	b.tree()
	b.place()
	shape := Shape{Spans: b.placed, Roots: b.roots}
	if root, ok := b.longest(); ok {
		shape.Path = b.criticalPath(root)
		for _, s := range shape.Path {
			b.placed[s.Span].Critical += s.To - s.From
		}
	}
	return shape
}

type builder struct {
	spans    []Span
	placed   []Placed
	children [][]int
	roots    []int
	order    []int // parents before children
}

// before orders spans by start; those that start together by what else they are,
// so that the order in which they came does not matter.
func (b *builder) before(i, j int) int {
	x, y := &b.spans[i], &b.spans[j]
	return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.Duration, x.Duration), slices.Compare(x.ID[:], y.ID[:]),
		slices.Compare(x.Parent[:], y.Parent[:]), cmp.Compare(x.Service, y.Service), cmp.Compare(i, j))
}

// link finds each span's parent.
func (b *builder) link() {
	sorted := make([]int, len(b.spans))
	for i := range sorted {
		sorted[i] = i
	}
	slices.SortFunc(sorted, b.before)
	byID := make(map[[8]byte]int, len(b.spans))
	for _, i := range sorted {
		if _, there := byID[b.spans[i].ID]; there {
			b.placed[i].Notes |= Duplicate
			continue
		}
		byID[b.spans[i].ID] = i
	}
	for i := range b.spans {
		p := &b.placed[i]
		p.Parent = -1
		if b.spans[i].Parent == [8]byte{} {
			continue
		}
		parent, there := byID[b.spans[i].Parent]
		switch {
		case !there:
			p.Notes |= MissingParent
		case parent == i:
			p.Notes |= Cycle
		default:
			p.Parent = parent
		}
	}
}

// openCycles makes a root of the earliest span of each cycle.
func (b *builder) openCycles() {
	const (
		unseen = iota
		onWay
		done
	)
	state := make([]uint8, len(b.spans))
	var way []int
	for start := range b.spans {
		way = way[:0]
		i := start
		for i >= 0 && state[i] == unseen {
			state[i] = onWay
			way = append(way, i)
			i = b.placed[i].Parent
		}
		if i >= 0 && state[i] == onWay {
			cycle := way[slices.Index(way, i):]
			first := slices.MinFunc(cycle, b.before)
			b.placed[first].Parent = -1
			b.placed[first].Notes |= Cycle
		}
		for _, i := range way {
			state[i] = done
		}
	}
}

// tree lists roots and children by start, and all spans parents first.
func (b *builder) tree() {
	for i := range b.spans {
		if p := b.placed[i].Parent; p >= 0 {
			b.children[p] = append(b.children[p], i)
		} else {
			b.roots = append(b.roots, i)
		}
	}
	slices.SortFunc(b.roots, b.before)
	b.order = append(make([]int, 0, len(b.spans)), b.roots...)
	for at := 0; at < len(b.order); at++ {
		i := b.order[at]
		slices.SortFunc(b.children[i], b.before)
		for _, c := range b.children[i] {
			b.placed[c].Depth = b.placed[i].Depth + 1
		}
		b.order = append(b.order, b.children[i]...)
	}
}

func (b *builder) start(i int) int64 { return b.spans[i].Start + b.placed[i].Skew }

func (b *builder) end(i int) int64 { return b.start(i) + max(b.spans[i].Duration, 0) }

// place corrects clocks, from the roots down, and takes the self times.
func (b *builder) place() {
	for _, i := range b.order {
		p := &b.placed[i]
		if p.Parent >= 0 {
			b.correct(i, p)
		}
	}
	for i := range b.placed {
		b.placed[i].Self = b.selfTime(i)
	}
}

func (b *builder) correct(i int, p *Placed) {
	parent := p.Parent
	if b.spans[i].Service == b.spans[parent].Service {
		p.Skew = b.placed[parent].Skew
	} else if early := b.start(parent) - b.start(i); early > 0 {
		// Nothing starts before it is called. The time on the way there and back
		// is taken to be the same, where the parent lasts long enough.
		slack := max(b.end(parent)-b.start(parent)-max(b.spans[i].Duration, 0), 0)
		p.Skew = early + slack/2
	}
	if p.Skew != 0 {
		p.Notes |= Skewed
	}
	if b.end(i) > b.end(parent) {
		p.Notes |= Async
	}
}

// clipped is the part of a child that lies within from and to.
func (b *builder) clipped(i int, from, to int64) (lo, hi int64) {
	return max(b.start(i), from), min(b.end(i), to)
}

// selfTime is a span's duration without the union of its children's.
func (b *builder) selfTime(i int) int64 {
	from, to := b.start(i), b.end(i)
	type interval struct{ lo, hi int64 }
	covered := make([]interval, 0, len(b.children[i]))
	for _, c := range b.children[i] {
		if lo, hi := b.clipped(c, from, to); lo < hi {
			covered = append(covered, interval{lo, hi})
		}
	}
	slices.SortFunc(covered, func(a, b interval) int { return cmp.Compare(a.lo, b.lo) })
	self, at := to-from, from
	for _, c := range covered {
		if c.hi > at {
			self -= c.hi - max(c.lo, at)
			at = c.hi
		}
	}
	return self
}

// longest is the root that lasts longest, of several the earliest.
func (b *builder) longest() (int, bool) {
	if len(b.roots) == 0 {
		return 0, false
	}
	return slices.MaxFunc(b.roots, func(i, j int) int { return cmp.Compare(b.spans[i].Duration, b.spans[j].Duration) }), true
}
