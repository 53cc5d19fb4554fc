package requestredactionprocessor

import (
	"slices"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// attributes redacts the values of m in place, nested ones too.
func (p *pass) attributes(m pcommon.Map) { p.entries(m, 0) }

func (p *pass) entries(m pcommon.Map, depth int) {
	var gone []string
	for k, v := range m.All() {
		d, known := p.known(k)
		if known != nil && v.Type() == pcommon.ValueTypeStr && d.rule == nil {
			if v.Str() != string(known.clean) && p.string(d, v, known) {
				gone = append(gone, k)
			}
			continue
		}
		if p.value(d, v, depth) {
			gone = append(gone, k)
		}
	}
	if len(gone) > 0 && !p.r.shadow {
		m.RemoveIf(func(k string, _ pcommon.Value) bool { return slices.Contains(gone, k) })
	}
}

// value redacts v, whose key d is about, and says whether it has to go.
func (p *pass) value(d decision, v pcommon.Value, depth int) (gone bool) {
	switch {
	case d.skip:
		return false
	case d.rule != nil:
		return p.whole(d.rule, v)
	}
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return p.string(d, v, nil)
	case pcommon.ValueTypeInt:
		return p.integer(v)
	case pcommon.ValueTypeBytes:
		return p.bytes(v, d.shape)
	case pcommon.ValueTypeMap, pcommon.ValueTypeSlice:
		if depth == p.r.maxDepth {
			return p.cannot()
		}
	}
	switch v.Type() {
	case pcommon.ValueTypeMap:
		p.entries(v.Map(), depth+1)
	case pcommon.ValueTypeSlice:
		return p.elements(d, v.Slice(), depth+1)
	}
	return false
}

// string redacts a text; known, when there is one, keeps it if it is clean.
func (p *pass) string(d decision, v pcommon.Value, known *knownKey) (gone bool) {
	s := v.Str()
	if d.skip {
		return false
	}
	text, changed, gone := p.scan(s, d.shape)
	switch {
	case changed && !p.r.shadow:
		v.SetStr(text)
	case known != nil && !changed && !gone && !p.unscannable && len(s) <= min(maxClean, p.r.maxValueBytes):
		known.clean = append(known.clean[:0], s...)
	}
	return gone
}

// elements redacts the values of a slice; those that have to go take the slice
// with them when they are all there is, and become empty otherwise, so that the
// others keep their places.
func (p *pass) elements(d decision, s pcommon.Slice, depth int) (gone bool) {
	n := 0
	for _, e := range s.All() {
		if p.value(d, e, depth) {
			n++
			if !p.r.shadow {
				pcommon.NewValueEmpty().CopyTo(e)
			}
		}
	}
	return n > 0 && n == s.Len()
}

// whole redacts a value by its key; one that is empty or done is left and not
// counted, so that two processors in a row count once.
func (p *pass) whole(r *rule, v pcommon.Value) (gone bool) {
	if v.Type() == pcommon.ValueTypeEmpty {
		return false
	}
	text := v.AsString()
	if r.isDone(text) || p.r.excepted(text) {
		return false
	}
	p.hit(r)
	if r.action == ActionDrop {
		return true
	}
	if !p.r.shadow {
		v.SetStr(p.replacement(r, text))
	}
	return false
}

// smallestCard is the least integer with as many digits as a card number.
const smallestCard = 100_000_000_000

// integer redacts a number that detectors find in its decimal digits.
func (p *pass) integer(v pcommon.Value) (gone bool) {
	if v.Int() < smallestCard {
		return false
	}
	p.dropped = false
	text, changed := p.detect(strconv.FormatInt(v.Int(), 10), clueDigits7|clueNumber9|clueNumber12)
	if changed && !p.r.shadow {
		v.SetStr(text)
	}
	return p.dropped
}

// bytes redacts bytes as text, even such as are not UTF-8 throughout: a secret
// does not mind what stands beside it.
func (p *pass) bytes(v pcommon.Value, shape shape) (gone bool) {
	if v.Bytes().Len() < shortest {
		return false
	}
	text, changed, gone := p.scan(string(v.Bytes().AsRaw()), shape)
	if changed && !p.r.shadow {
		v.Bytes().FromRaw([]byte(text))
	}
	return gone
}

// name redacts a text that is no attribute, such as a span's name. One that has
// to go altogether leaves the mask: a name is never empty.
func (p *pass) name(s string, set func(string)) {
	if len(s) < shortest {
		return
	}
	text, changed, gone := p.scan(s, shapeProse)
	switch {
	case p.r.shadow:
	case gone:
		set(conventions.Mask)
	case changed:
		set(text)
	}
}
