package keyedhash

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHash(t *testing.T) {
	// RFC 4231, test case 2, cut to 16 bytes.
	h := New([]byte("Jefe"))
	const want = "hmac:5bdcc146bf60754e6a042426089575c7"
	assert.Equal(t, want, h.Hash("what do ya want for nothing?"))
	assert.Equal(t, want, h.Hash("what do ya want for nothing?"), "again")
	assert.NotEqual(t, want, h.Hash("what do ya want for nothing"))
}

func TestIs(t *testing.T) {
	for s, want := range map[string]bool{
		New([]byte("k")).Hash("v"):               true,
		"hmac:5bdcc146bf60754e6a042426089575c":   false,
		"hmac:5BDCC146BF60754E6A042426089575C7":  false,
		"hmac:5bdcc146bf60754e6a042426089575c7 ": false,
		"5bdcc146bf60754e6a042426089575c7":       false,
		"hmac:":                                  false,
		"":                                       false,
	} {
		assert.Equal(t, want, Is(s), "%q", s)
	}
}
