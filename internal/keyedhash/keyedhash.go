// Package keyedhash replaces a value by a hash of it under a secret, so that
// equal values stay equal without being readable. Redaction writes such hashes,
// correlation may, and a reader who holds the secret finds a record by hashing
// what was typed: all of them must agree on the form, which is therefore here.
package keyedhash

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"
)

// Prefix begins every hash, so that it is told from a value that was never
// hashed, and is not hashed again.
const Prefix = "hmac:"

// size is how many bytes of the HMAC are kept: 128 bits, at which two of a
// billion different values are equal with a probability of 10^-21.
const size = 16

// MinSecret is the shortest secret worth having, in bytes.
const MinSecret = 16

// Hasher hashes values under one secret. It may not be used by two goroutines at
// once.
type Hasher struct{ mac hash.Hash }

// New gives a Hasher for secret.
func New(secret []byte) *Hasher { return &Hasher{mac: hmac.New(sha256.New, secret)} }

// Hash gives Prefix and 32 hexadecimal digits: the first 16 bytes of the
// HMAC-SHA-256 (RFC 2104) of value.
func (h *Hasher) Hash(value string) string {
	h.mac.Reset()
	h.mac.Write([]byte(value)) // hash.Hash never fails
	var sum [sha256.Size]byte
	var text [len(Prefix) + 2*size]byte
	copy(text[:], Prefix)
	hex.Encode(text[len(Prefix):], h.mac.Sum(sum[:0])[:size])
	return string(text[:])
}

// Is says whether s has the form of a hash.
func Is(s string) bool {
	digits, ok := strings.CutPrefix(s, Prefix)
	if !ok || len(digits) != 2*size {
		return false
	}
	for i := range len(digits) {
		if c := digits[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
