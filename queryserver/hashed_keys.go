package queryserver

import (
	"slices"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/keyedhash"
)

// hashedKeys hashes what people type of correlation keys whose values are stored
// as hashes. The zero value hashes nothing.
type hashedKeys struct {
	secret []byte
	keys   []string // * is every key
}

func newHashedKeys(c CorrelationHashConfig) hashedKeys {
	return hashedKeys{secret: []byte(c.Secret), keys: c.Keys}
}

// has says whether values of the key are stored as hashes.
func (h hashedKeys) has(key string) bool {
	return slices.Contains(h.keys, key) || slices.Contains(h.keys, "*")
}

// value is the value of a key as it is stored. A hash stays as it is: it was copied
// from a record.
func (h hashedKeys) value(key, value string) string {
	if !h.has(key) || keyedhash.Is(value) {
		return value
	}
	return keyedhash.New(h.secret).Hash(value)
}

// filter is the filter as it has to be asked. The error is a *filter.Error.
func (h hashedKeys) filter(e *filter.Expr) (*filter.Expr, error) {
	if len(h.keys) == 0 {
		return e, nil
	}
	hasher := keyedhash.New(h.secret)
	return e.HashKeys(h.has, func(v string) string {
		if keyedhash.Is(v) {
			return v
		}
		return hasher.Hash(v)
	})
}
