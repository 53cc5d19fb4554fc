package requestredactionprocessor

import (
	"github.com/trackwayhq/trackway/internal/keyedhash"
)

// pass is one batch on its way through: the counts of its rules and what can be
// used again from value to value. Passes are pooled; one is used by one goroutine.
type pass struct {
	r      *redaction
	counts []int64 // by rule
	record int     // values of the current record
	hash   *keyedhash.Hasher
	found  []span

	// Of the value that is scanned at the moment: a rule drops the attribute it
	// is in, or there is more in it than may be looked at.
	dropped, unscannable bool
}

// hit counts a value that r redacts, or would redact in shadow mode.
func (p *pass) hit(r *rule) {
	p.counts[r.index]++
	p.record++
}

// scan redacts the text of one value. It gives the text to write in its place,
// whether that differs, and whether the value has to go altogether.
func (p *pass) scan(s string, shape shape) (text string, changed, gone bool) {
	if len(s) > p.r.maxValueBytes {
		return s, false, p.cannot()
	}
	p.dropped, p.unscannable = false, false
	text, changed = p.text(s, shape, 0)
	if p.unscannable && p.cannot() {
		return s, false, true
	}
	return text, changed, p.dropped
}

// cannot counts a value that cannot be scanned, and says whether it has to go.
func (p *pass) cannot() bool {
	p.counts[p.r.unscannable.index]++
	if p.r.failClosed {
		p.record++
	}
	return p.r.failClosed
}
