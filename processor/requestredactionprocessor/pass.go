package requestredactionprocessor

import (
	"strings"

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
	keys   [knownKeys]knownKey

	// Of the value that is scanned at the moment: a rule drops the attribute it
	// is in, or there is more in it than may be looked at.
	dropped, unscannable bool
}

// knownKeys is the size of a pass's own table of keys, a power of two: several
// times the names that the requests of a service have.
const knownKeys = 512

// knownKey is a key that a pass has met with what the matcher said, and the last
// text under it that had nothing to redact: methods, routes and user agents repeat.
type knownKey struct {
	key      string
	decision decision
	clean    []byte
}

// maxClean is the longest text, in bytes, that is kept as clean.
const maxClean = 192

// of says what happens to the value under key, as the matcher does.
func (p *pass) of(key string) decision {
	d, _ := p.known(key)
	return d
}

// known gives also the entry of the key, nil when there is none. Most keys are found
// in the pass's own table, in the place that their length and four of their bytes
// give, for a fraction of the price of a map. A place is never given to another key,
// so that senders of many keys cost no more than the map.
func (p *pass) known(key string) (decision, *knownKey) {
	n := len(key)
	if n == 0 {
		return decision{}, nil
	}
	hash := uint32(n)*37 ^ uint32(key[n-1])*131 ^ uint32(key[0])*7 ^ uint32(key[n/2])*61 ^ uint32(key[n*3/4])*257
	known := &p.keys[(hash^hash>>9)%knownKeys]
	if known.key == key {
		return known.decision, known
	}
	d := p.r.keys.of(key)
	if known.key == "" && n <= maxRememberedKey {
		known.key, known.decision = strings.Clone(key), d
		return d, known
	}
	return d, nil
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
