package traceshape

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func id(n uint64) (out [8]byte) {
	binary.BigEndian.PutUint64(out[:], n)
	return out
}

// span of service "a", times in ns.
func span(n, parent uint64, start, duration int64) Span {
	return Span{ID: id(n), Parent: id(parent), Service: "a", Start: start, Duration: duration}
}

func in(service string, s Span) Span {
	s.Service = service
	return s
}

// show writes a shape so that it can be read: a line a span, then the path.
func show(s Shape) string {
	var b strings.Builder
	for i, p := range s.Spans {
		fmt.Fprintf(&b, "%d: parent %d depth %d self %d critical %d", i, p.Parent, p.Depth, p.Self, p.Critical)
		for note, name := range map[Note]string{MissingParent: "missing", Cycle: "cycle", Duplicate: "duplicate", Async: "async", Skewed: fmt.Sprint("skew ", p.Skew)} {
			if p.Notes == note {
				b.WriteString(" " + name)
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "roots %v path", s.Roots)
	for _, x := range s.Path {
		fmt.Fprintf(&b, " %d[%d,%d)", x.Span, x.From, x.To)
	}
	return b.String()
}

func TestShapes(t *testing.T) {
	for name, tc := range map[string]struct {
		spans []Span
		want  string
	}{
		"nothing": {nil, "roots [] path"},
		"calls one after the other": {
			[]Span{span(1, 0, 0, 100), span(2, 1, 10, 20), span(3, 1, 40, 50)},
			`0: parent -1 depth 0 self 30 critical 30
1: parent 0 depth 1 self 20 critical 20
2: parent 0 depth 1 self 50 critical 50
roots [0] path 0[0,10) 1[10,30) 0[30,40) 2[40,90) 0[90,100)`,
		},
		"calls at once": { // the longer one is waited for
			[]Span{span(1, 0, 0, 100), span(2, 1, 10, 80), span(3, 1, 10, 50)},
			`0: parent -1 depth 0 self 20 critical 20
1: parent 0 depth 1 self 80 critical 80
2: parent 0 depth 1 self 50 critical 0
roots [0] path 0[0,10) 1[10,90) 0[90,100)`,
		},
		"calls that overlap": { // the first still runs when the second begins
			[]Span{span(1, 0, 0, 10), span(2, 1, 0, 5), span(3, 1, 3, 5)},
			`0: parent -1 depth 0 self 2 critical 5
1: parent 0 depth 1 self 5 critical 0
2: parent 0 depth 1 self 5 critical 5
roots [0] path 0[0,3) 2[3,8) 0[8,10)`,
		},
		"nested": {
			[]Span{span(3, 2, 20, 10), span(2, 1, 10, 50), span(1, 0, 0, 100)},
			`0: parent 1 depth 2 self 10 critical 10
1: parent 2 depth 1 self 40 critical 40
2: parent -1 depth 0 self 50 critical 50
roots [2] path 2[0,10) 1[10,20) 0[20,30) 1[30,60) 2[60,100)`,
		},
		"a missing parent": {
			[]Span{span(1, 0, 0, 10), span(2, 9, 5, 20)},
			`0: parent -1 depth 0 self 10 critical 0
1: parent -1 depth 0 self 20 critical 20 missing
roots [0 1] path 1[5,25)`,
		},
		"its own parent": {
			[]Span{span(1, 1, 0, 10)},
			`0: parent -1 depth 0 self 10 critical 10 cycle
roots [0] path 0[0,10)`,
		},
		"a cycle": {
			[]Span{span(1, 2, 5, 10), span(2, 3, 0, 20), span(3, 1, 6, 2)},
			`0: parent 1 depth 1 self 8 critical 8
1: parent -1 depth 0 self 10 critical 10 cycle
2: parent 0 depth 2 self 2 critical 2
roots [1] path 1[0,5) 0[5,6) 2[6,8) 0[8,15) 1[15,20)`,
		},
		"two spans with one id": { // client and server of one call, as Zipkin has them
			[]Span{span(1, 0, 0, 100), span(2, 1, 10, 50), in("b", span(2, 1, 20, 30)), in("b", span(3, 2, 25, 10))},
			`0: parent -1 depth 0 self 50 critical 50
1: parent 0 depth 1 self 40 critical 40
2: parent 0 depth 1 self 30 critical 0 duplicate
3: parent 1 depth 2 self 10 critical 10
roots [0] path 0[0,10) 1[10,25) 3[25,35) 1[35,60) 0[60,100)`,
		},
		"an asynchronous child": {
			[]Span{span(1, 0, 0, 10), span(2, 1, 8, 30), span(3, 2, 20, 5)},
			`0: parent -1 depth 0 self 8 critical 8
1: parent 0 depth 1 self 25 critical 2 async
2: parent 1 depth 2 self 5 critical 0
roots [0] path 0[0,8) 1[8,10)`,
		},
		"a child after its parent": {
			[]Span{span(1, 0, 0, 10), span(2, 1, 50, 5)},
			`0: parent -1 depth 0 self 10 critical 10
1: parent 0 depth 1 self 5 critical 0 async
roots [0] path 0[0,10)`,
		},
		"another clock": { // 20 of 100: 40 on the way there, 40 back
			[]Span{span(1, 0, 1000, 100), in("b", span(2, 1, 500, 20)), in("b", span(3, 2, 505, 5))},
			`0: parent -1 depth 0 self 80 critical 80
1: parent 0 depth 1 self 15 critical 15 skew 540
2: parent 1 depth 2 self 5 critical 5 skew 540
roots [0] path 0[1000,1040) 1[1040,1045) 2[1045,1050) 1[1050,1060) 0[1060,1100)`,
		},
		"another clock and a longer child": {
			[]Span{span(1, 0, 1000, 10), in("b", span(2, 1, 500, 10))},
			`0: parent -1 depth 0 self 0 critical 0
1: parent 0 depth 1 self 10 critical 10 skew 500
roots [0] path 1[1000,1010)`,
		},
		"a span without duration": {
			[]Span{span(1, 0, 0, 10), span(2, 1, 5, 0), span(3, 1, 5, 0)},
			`0: parent -1 depth 0 self 10 critical 10
1: parent 0 depth 1 self 0 critical 0
2: parent 0 depth 1 self 0 critical 0
roots [0] path 0[0,10)`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := show(Of(tc.spans)); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// Whatever spans claim, the tree is one, and times add up.
func TestShapeHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		n := 1 + r.IntN(30)
		spans := make([]Span, n)
		for i := range spans {
			spans[i] = Span{
				ID: id(uint64(1 + r.IntN(n))), Parent: id(uint64(r.IntN(n + 2))), Service: string(rune('a' + r.IntN(3))),
				Start: int64(r.IntN(100)), Duration: int64(r.IntN(60)) - 2,
			}
		}
		shape := Of(spans)
		check(t, spans, shape)

		order := r.Perm(n)
		shuffled := make([]Span, n)
		for to, from := range order {
			shuffled[to] = spans[from]
		}
		again := Of(shuffled)
		var total, totalAgain int64
		for i := range spans {
			total += shape.Spans[i].Self
			totalAgain += again.Spans[i].Self
		}
		if len(again.Roots) != len(shape.Roots) || total != totalAgain {
			t.Fatalf("the order of the spans matters:\n%v\n%s\n%s", spans, show(shape), show(again))
		}
	}
}

func check(t *testing.T, spans []Span, shape Shape) {
	t.Helper()
	fail := func(what string) {
		t.Fatalf("%s:\n%v\n%s", what, spans, show(shape))
	}
	roots := 0
	for i, p := range shape.Spans {
		if p.Parent < 0 {
			roots++
			if !slices.Contains(shape.Roots, i) {
				fail("a root is not listed")
			}
		}
		if p.Parent >= 0 && shape.Spans[p.Parent].Depth != p.Depth-1 || p.Parent < 0 && p.Depth != 0 {
			fail("a depth is not one more than the parent's: there is a cycle, or it is wrong")
		}
		if p.Self < 0 || p.Self > max(spans[i].Duration, 0) || p.Critical < 0 || p.Critical > max(spans[i].Duration, 0) {
			fail("a time is longer than its span")
		}
	}
	if roots != len(shape.Roots) || roots == 0 {
		fail("roots")
	}
	var longest int64
	for _, i := range shape.Roots {
		longest = max(longest, spans[i].Duration)
	}
	var sum int64
	for i, s := range shape.Path {
		sum += s.To - s.From
		if s.From >= s.To || i > 0 && s.From != shape.Path[i-1].To {
			fail("the path has a gap or an overlap")
		}
	}
	if sum != longest {
		fail("the path is not as long as its root")
	}
}

// A chain, and a root with as many children.
func TestBigTraces(t *testing.T) {
	const n = 100_000
	chain, fan := make([]Span, n), make([]Span, n)
	for i := range n {
		chain[i] = span(uint64(i+1), uint64(i), int64(i), int64(2*n-2*i))
		fan[i] = span(uint64(i+1), 1, int64(i), 1)
	}
	fan[0] = span(1, 0, 0, 2*n)
	for _, spans := range [][]Span{chain, fan} {
		check(t, spans, Of(spans))
	}
}

func BenchmarkShape(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	spans := make([]Span, 100_000)
	for i := range spans {
		spans[i] = span(uint64(i+1), uint64(r.IntN(i+1)), int64(i), int64(r.IntN(1000)))
	}
	for b.Loop() {
		Of(spans)
	}
}
