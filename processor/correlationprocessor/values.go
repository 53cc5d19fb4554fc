package correlationprocessor

import (
	"regexp"
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/keyedhash"
)

// Reasons a key is left out; values of the refused keys' counter.
const (
	reasonMasked = iota
	reasonTooLong
	reasonTooMany
	reasonNotScalar
	reasonName
	reasonDistinct
	numReasons
)

var reasonNames = [numReasons]string{"masked", "too_long", "too_many", "not_scalar", "name", "too_many_distinct"}

// values decides which values a key may have and how they are written.
type values struct {
	maxLength int
	normalize map[string]normalizer // by the key's attribute
	hashed    map[string]bool       // by the key's attribute
	hashAll   bool
	hashers   sync.Pool // *keyedhash.Hasher; nil New without a secret
}

type normalizer struct {
	trim, lower bool
	replace     []replacement
}

type replacement struct {
	pattern *regexp.Regexp
	with    string
}

func newValues(cfg *Config) *values {
	v := &values{maxLength: cfg.MaxValueLength, normalize: map[string]normalizer{}, hashed: map[string]bool{}}
	for key, n := range cfg.Normalize {
		compiled := normalizer{trim: n.Trim, lower: n.Lower}
		for _, r := range n.Replace {
			if pattern, err := regexp.Compile(r.Pattern); err == nil { // Validate refuses others
				compiled.replace = append(compiled.replace, replacement{pattern, r.With})
			}
		}
		v.normalize[conventions.CorrelationPrefix+key] = compiled
	}
	for _, key := range cfg.Hash.Keys {
		v.hashAll = v.hashAll || key == "*"
		v.hashed[conventions.CorrelationPrefix+key] = true
	}
	secret := []byte(cfg.Hash.Secret)
	v.hashers.New = func() any { return keyedhash.New(secret) }
	return v
}

// of gives the value of a key, or the reason it has none. An empty value is no
// key, and not counted: ok is false and the reason negative.
func (v *values) of(f *found) (value string, reason int, ok bool) {
	s, scalar := f.content()
	if !scalar {
		return "", reasonNotScalar, false
	}
	// Also before, so that no expression runs over a long text.
	if len(s) > v.maxLength {
		return "", reasonTooLong, false
	}
	if n, ok := v.normalize[f.attribute]; ok {
		s = n.apply(s)
	}
	switch {
	case s == "":
		return "", -1, false
	case strings.Contains(s, conventions.Mask): // a partial mask leaves text beside it
		return "", reasonMasked, false
	case len(s) > v.maxLength:
		return "", reasonTooLong, false
	}
	if (v.hashAll || v.hashed[f.attribute]) && !keyedhash.Is(s) {
		h := v.hashers.Get().(*keyedhash.Hasher)
		s = h.Hash(s)
		v.hashers.Put(h)
	}
	return s, 0, true
}

func (n *normalizer) apply(s string) string {
	if n.trim {
		s = strings.TrimSpace(s)
	}
	if n.lower {
		s = strings.ToLower(s)
	}
	for _, r := range n.replace {
		s = r.pattern.ReplaceAllString(s, r.with)
	}
	return s
}

// content gives the text of what was found; scalar is false for maps and arrays. A
// value that is not there is an empty one.
func (f *found) content() (s string, scalar bool) {
	if f.isText {
		return f.text, !f.compound
	}
	switch f.value.Type() {
	case pcommon.ValueTypeStr:
		return f.value.Str(), true
	case pcommon.ValueTypeInt, pcommon.ValueTypeDouble, pcommon.ValueTypeBool:
		return f.value.AsString(), true
	case pcommon.ValueTypeEmpty:
		return "", true
	default:
		return single(f.value)
	}
}
