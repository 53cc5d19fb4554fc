package columns

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/record"
)

// noon is inside a window of days, and the next day is in the one after it.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// sampler makes records with every field, of few and of many values, and none.
type sampler struct{ *rand.Rand }

func newSampler(seed uint64) sampler { return sampler{rand.New(rand.NewPCG(seed, seed))} }

func (s sampler) word(name string, n int) string {
	if s.IntN(4) == 0 {
		return ""
	}
	return fmt.Sprint(name, s.IntN(n))
}

func (s sampler) pairs(name string) (p record.Pairs) {
	for range s.IntN(4) {
		p = append(p, record.Pair{Key: s.word(name, 5), Value: s.word("value", 1000)})
	}
	return p
}

func (s sampler) record() record.Record {
	r := record.Record{
		Kind: record.Kind(1 + s.IntN(3)), Project: s.word("project", 3), Time: noon.Add(time.Duration(s.IntN(1e6))), RID: s.Uint64(),
		Service: s.word("service", 5), Env: s.word("env", 3), Release: s.word("v", 300), Instance: s.word("i", 9), Name: s.word("name", 9),
		ErrorType: s.word("E", 4), ErrorMessage: s.word("message", 100), ErrorStack: strings.Repeat(s.word("stack", 10), s.IntN(60)),
		ErrorGroup: s.Uint64N(2) * s.Uint64(), Attributes: s.pairs("a"), Resource: s.pairs("r"), Correlation: s.pairs("c"),
		ScopeName: s.word("scope", 3), ScopeVersion: s.word("1.", 3), Marks: s.word("mark", 3), Weight: 256, TTLDays: 30, Flags: s.Uint32N(2),
	}
	if s.IntN(3) > 0 {
		r.TraceID, r.SpanID = [16]byte{1, byte(s.IntN(256)), 3}, [8]byte{byte(s.IntN(256)), 1}
	}
	for range s.IntN(3) {
		r.FacetItems = append(r.FacetItems, s.word("k=", 400))
	}
	if r.Kind == record.Event {
		r.Severity, r.Message = uint8(s.IntN(25)), s.word("m", 1000)
		return r
	}
	r.SpanKind, r.Status, r.SpanStatus, r.Duration = s.word("kind", 3), uint16(s.IntN(600)), s.word("s", 2), s.Uint64N(1e10)
	r.ParentSpanID, r.TraceState = [8]byte{byte(s.IntN(2))}, s.word("ot=", 2)
	r.RequestID, r.UserAgent, r.ClientIP = s.word("r-", 1e6), s.word("agent", 9), s.word("10.0.0.", 200)
	r.RequestBytes, r.ResponseBytes, r.Links = s.Uint64N(1e6), s.Uint64N(1e6), s.word("[]", 3)
	if r.Kind == record.Request {
		r.Method, r.Route, r.Path = s.word("M", 4), s.word("/r", 20), s.word("/p", 1000)
		r.RequestHeaders, r.ResponseHeaders = s.pairs("h"), s.pairs("h")
		r.RequestBody, r.ResponseBody = s.word("body", 100), s.word("body", 100)
	}
	return r
}

// batch gives a Batch of items of one to three rows, and its records by window and
// table, in the order Records gives them.
func (s sampler) batch(items int, windows int) (*Batch, [][]record.Record) {
	b := &Batch{}
	byWindow := make([][]record.Record, windows)
	for range items {
		project := s.word("project", 3)
		b.BeginItem(project)
		for range 1 + s.IntN(3) {
			r := s.record()
			w := s.IntN(windows)
			r.Time = r.Time.AddDate(0, 0, daysPerWindow*w)
			b.Append(&r)
			byWindow[w] = append(byWindow[w], r)
		}
	}
	byWindow = slices.DeleteFunc(byWindow, func(rs []record.Record) bool { return len(rs) == 0 })
	for _, rs := range byWindow {
		slices.SortStableFunc(rs, func(a, b record.Record) int { return int(a.Kind) - int(b.Kind) })
	}
	return b, byWindow
}

func TestRecordsComeBack(t *testing.T) {
	for _, items := range []int{1, 2, 50, 700} {
		b, want := newSampler(uint64(items)).batch(items, 3)
		data := b.AppendTo([]byte("before"))[6:]
		assert.Equal(t, items, b.Items())
		assert.Equal(t, len(data), b.Size())
		got, err := Decode(data)
		require.NoError(t, err)
		assert.Equal(t, data, got.AppendTo(nil))
		assert.Equal(t, items, got.Items())
		for _, parts := range [][]*Part{b.Parts(), got.Parts()} {
			require.Len(t, parts, len(want))
			size := 0
			for i, p := range parts {
				assert.Equal(t, want[i], p.Records())
				assert.Equal(t, len(want[i]), p.Rows())
				size += p.Size()
			}
			assert.Less(t, size, len(data))
		}
	}
}

func TestEmptyBatch(t *testing.T) {
	var b Batch
	got, err := Decode(b.AppendTo(nil))
	require.NoError(t, err)
	assert.Empty(t, got.Parts())
	assert.Zero(t, got.Items())
}

func TestItemsByProject(t *testing.T) {
	var b Batch
	for _, project := range []string{"a", "a", "b", "a"} {
		b.BeginItem(project)
		b.Append(&record.Record{Kind: record.Span, Project: project, Time: noon})
		b.Append(&record.Record{Kind: record.Event, Project: project, Time: noon.AddDate(0, 0, daysPerWindow)})
	}
	items := map[string]int{}
	b.ItemsByProject(func(project string, n int) { items[project] += n })
	assert.Equal(t, map[string]int{"a": 3, "b": 1}, items)
	parts := b.Parts()
	assert.Equal(t, []int{4, 0}, []int{parts[0].Items(), parts[1].Items()}, "an item counts where it begins")
}

func TestResetKeepsPartsValid(t *testing.T) {
	s := newSampler(1)
	b, want := s.batch(20, 1)
	parts := b.Parts()
	b.Reset()
	assert.Zero(t, b.Items())
	r := s.record()
	b.BeginItem("x")
	b.Append(&r)
	assert.Equal(t, want[0], parts[0].Records())
	assert.Equal(t, []record.Record{r}, b.Parts()[0].Records())
}

func TestMergeIsAppending(t *testing.T) {
	s := newSampler(2)
	var merged, appended Batch
	for range 5 {
		b, _ := s.batch(10, 2)
		Merge(&merged, b)
		for _, p := range b.Parts() {
			p.eachRow(func(r *record.Record, project string, counted, first bool) {
				if first {
					appended.BeginItem(project)
					appended.begun = counted
				}
				appended.Append(r)
			})
		}
	}
	require.Len(t, merged.Parts(), len(appended.Parts()))
	assert.Equal(t, 50, merged.Items())
	for i, p := range merged.Parts() {
		assert.Equal(t, appended.Parts()[i].Records(), p.Records())
		assert.Equal(t, appended.Parts()[i].Items(), p.Items())
	}
	r := s.record()
	merged.BeginItem("x")
	merged.Append(&r)
	assert.Equal(t, 51, merged.Items())
	got, err := Decode(merged.AppendTo(nil))
	require.NoError(t, err)
	assert.Equal(t, 51, got.Items())
}

// TestHalvesFindEveryItem splits down to single items: together they are the rows
// of the part, and no item is torn apart.
func TestHalvesFindEveryItem(t *testing.T) {
	b, want := newSampler(3).batch(37, 2)
	for i, p := range b.Parts() {
		var got []record.Record
		items, counted := 0, 0
		var split func(*Part)
		split = func(p *Part) {
			first, second := p.Halves()
			if second != nil {
				assert.Equal(t, p.Rows(), first.Rows()+second.Rows())
				split(first)
				split(second)
				return
			}
			items++
			counted += p.Items()
			got = append(got, p.Records()...)
			alone, err := Decode(p.AppendTo(nil))
			require.NoError(t, err)
			require.Len(t, alone.Parts(), 1)
			assert.Equal(t, p.Records(), alone.Parts()[0].Records())
			assert.Equal(t, p.Items(), alone.Items())
		}
		split(p)
		assert.Equal(t, p.items.len(), items)
		assert.Equal(t, p.Items(), counted)
		assert.ElementsMatch(t, want[i], got)
	}
}

func TestDecodeNamesThePlace(t *testing.T) {
	b, _ := newSampler(4).batch(3, 1)
	data := b.AppendTo(nil)
	_, err := Decode(nil)
	require.ErrorContains(t, err, "version")
	_, err = Decode(append([]byte{9}, data[1:]...))
	require.ErrorContains(t, err, "want 1, got 9: it was written by another release")
	_, err = Decode(append(slices.Clone(data), 0))
	require.ErrorContains(t, err, "1 bytes too many")
	for n := range len(data) {
		_, err := Decode(data[:n:n])
		require.Error(t, err, "cut at %d", n)
	}
}

// FuzzDecode changes encodings: what is accepted can be used in every way.
func FuzzDecode(f *testing.F) {
	for seed := range uint64(4) {
		b, _ := newSampler(seed).batch(1+int(seed)*3, 1+int(seed)%2)
		f.Add(b.AppendTo(nil))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Decode(data)
		if err != nil {
			return
		}
		var e Encoder
		for _, p := range b.Parts() {
			if p.Rows() > 1000 {
				return // a few bytes can stand for many rows that are all the same
			}
			p.Records()
			p.AppendTo(nil)
			p.Halves()
			if _, err := e.Unit(1, []*Part{p, p}); err != nil {
				t.Fatal(err)
			}
		}
		var merged Batch
		Merge(&merged, b)
		if _, err := Decode(merged.AppendTo(nil)); err != nil {
			t.Fatal(err)
		}
	})
}
