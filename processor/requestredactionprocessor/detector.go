package requestredactionprocessor

import (
	"cmp"
	"slices"
	"strings"
)

// Detector is the name of a built-in detector.
type Detector string

// The detectors.
const (
	DetectorCard        Detector = "card"
	DetectorEmail       Detector = "email"
	DetectorJWT         Detector = "jwt"
	DetectorBearer      Detector = "bearer"
	DetectorCloudKey    Detector = "cloud_key"
	DetectorPrivateKey  Detector = "private_key"
	DetectorIBAN        Detector = "iban"
	DetectorUSSSN       Detector = "us_ssn"
	DetectorURLPassword Detector = "url_password"
	DetectorPhone       Detector = "phone"
	DetectorIP          Detector = "ip"
)

// defaultDetectors find what hardly anything else looks like. Telephone numbers
// and addresses are by choice: much that is neither looks like them, and an
// address is often what somebody searches for.
var defaultDetectors = []Detector{
	DetectorCard, DetectorEmail, DetectorJWT, DetectorBearer, DetectorCloudKey,
	DetectorPrivateKey, DetectorIBAN, DetectorUSSSN, DetectorURLPassword,
}

// span is a place in a text, in bytes; end is exclusive.
type span struct {
	start, end int
	rule       *rule
}

// detect appends what it finds in s to found. It reads only s, in time linear
// in its length, and gives spans in ascending order that do not overlap.
type detect func(s string, found []span) []span

var detectors = map[Detector]struct {
	needs clue // all of them
	find  detect
}{
	DetectorCard:        {clueNumber12, findCards},
	DetectorEmail:       {clueAt, findEmails},
	DetectorJWT:         {clueJWT, findJWTs},
	DetectorBearer:      {clueScheme, findBearers},
	DetectorCloudKey:    {clueCloud, findCloudKeys},
	DetectorPrivateKey:  {cluePEM, findPrivateKeys},
	DetectorIBAN:        {clueDigits7 | clueIBAN, findIBANs},
	DetectorUSSSN:       {clueNumber9, findSSNs},
	DetectorURLPassword: {clueURL | clueAt, findURLPasswords},
	DetectorPhone:       {clueDigits7, findPhones},
	DetectorIP:          {0, findIPs},
}

// activeDetector is a detector with what to do about its findings.
type activeDetector struct {
	needs clue
	find  detect
	rule  *rule
}

// detect replaces what detectors and patterns find in s.
func (p *pass) detect(s string, c clue) (string, bool) {
	found := p.found[:0]
	for i := range p.r.detectors {
		d := &p.r.detectors[i]
		if c&d.needs != d.needs {
			continue
		}
		n := len(found)
		found = d.find(s, found)
		for i := n; i < len(found); i++ {
			found[i].rule = d.rule
		}
	}
	for i := range p.r.patterns {
		found = p.r.patterns[i].find(s, found)
	}
	p.found = found
	if len(found) == 0 {
		return s, false
	}
	return p.replace(s, found)
}

// replace puts the replacements of found, in any order and perhaps overlapping,
// into s. Of those that overlap the first wins, of those that begin together the
// longest, then the rule that comes first.
func (p *pass) replace(s string, found []span) (string, bool) {
	slices.SortStableFunc(found, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.rule.index, b.rule.index))
	})
	var out strings.Builder
	copied := 0
	for _, f := range found {
		value := s[f.start:f.end]
		if f.end <= copied || f.rule.isDone(value) || p.r.excepted(value) {
			continue
		}
		if f.start < copied { // what sticks out of the one before
			if s[copied] == '@' { // user:p%40ss@host is no address; the host may stay
				continue
			}
			f.start = copied
			value = s[f.start:f.end]
		}
		p.hit(f.rule)
		if f.rule.action == ActionDrop {
			p.dropped = true
		}
		out.WriteString(s[copied:f.start])
		out.WriteString(p.replacement(f.rule, value))
		copied = f.end
	}
	if copied == 0 {
		return s, false
	}
	out.WriteString(s[copied:])
	return out.String(), true
}

// startsWord says whether a word can begin at i: what stands before is no part
// of it. The letter of an escape such as \n is none.
func startsWord(s string, i int) bool {
	if i == 0 || !isWord(s[i-1]) {
		return true
	}
	return i >= 2 && s[i-2] == '\\' && strings.IndexByte("nrtbf", s[i-1]) >= 0
}

// endsWord says whether a word can end before i.
func endsWord(s string, i int) bool { return i >= len(s) || !isWord(s[i]) }

// charset is a set of bytes.
type charset [256]bool

func newCharset(ranges string) *charset {
	var c charset
	for i := 0; i+1 < len(ranges); i += 2 {
		for b := int(ranges[i]); b <= int(ranges[i+1]); b++ {
			c[b] = true
		}
	}
	return &c
}

var (
	alnum     = newCharset("09AZaz")
	urlToken  = newCharset("09AZaz__--")         // base64url
	anyToken  = newCharset("09AZaz__--..~~++//") // token68 of RFC 9110 without padding
	base64Set = newCharset("09AZaz++//")
)

// run gives the end of the bytes of c that begin at i.
func (c *charset) run(s string, i int) int {
	for i < len(s) && c[s[i]] {
		i++
	}
	return i
}

// runBack gives the begin of the bytes of c that end before i, at most limit.
func (c *charset) runBack(s string, i, limit int) int {
	for n := 0; i > 0 && n < limit && c[s[i-1]]; n++ {
		i--
	}
	return i
}

// dropOverlaps sorts the spans from first on and keeps of overlapping ones the
// one that begins first.
func dropOverlaps(found []span, first int) []span {
	slices.SortFunc(found[first:], func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	kept := found[:first]
	for _, f := range found[first:] {
		if len(kept) == first || f.start >= kept[len(kept)-1].end {
			kept = append(kept, f)
		}
	}
	return kept
}
