// Package ids assigns item ids. An item (a span or a log record) gets its id
// once, on arrival at the exporter; everything that names the item later, from
// row ids to units of insert, derives from it.
package ids

import (
	crand "crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"sync"

	"github.com/trackwayhq/trackway/internal/record"
)

// Signal tells items of one batch apart that have the same index in the traces
// and in the logs of the batch.
type Signal byte

// The signals that carry items.
const (
	Traces Signal = iota + 1
	Logs
)

// Source gives the ids of the items of one delivery.
type Source interface {
	// ID gives the id of the index-th item of the delivery, in the order of the
	// pdata. It is called once for each index, in ascending order.
	ID(project string, index int) record.ItemID
}

// Generator makes random item ids. It is safe for concurrent use: each delivery
// takes a source of its own from it.
type Generator struct{ pool sync.Pool }

// NewGenerator seeds its streams from the system's randomness.
func NewGenerator() *Generator {
	return &Generator{pool: sync.Pool{New: func() any {
		var seed [32]byte
		_, _ = crand.Read(seed[:]) // never fails: it aborts the process instead
		return rand.NewChaCha8(seed)
	}}}
}

// For gives the source for one delivery: derived from the batch id when the
// sender gave one, so that a repeated batch has the same ids, else random.
// Release must be called when the delivery has been converted.
func (g *Generator) For(batchID string, signal Signal) (src Source, release func()) {
	if batchID != "" {
		return batchSource{batchID: batchID, signal: signal}, func() {}
	}
	stream := g.pool.Get().(*rand.ChaCha8)
	return randomSource{stream}, func() { g.pool.Put(stream) }
}

type randomSource struct{ stream *rand.ChaCha8 }

func (s randomSource) ID(string, int) record.ItemID {
	var id record.ItemID
	binary.LittleEndian.PutUint64(id[:8], s.stream.Uint64())
	binary.LittleEndian.PutUint64(id[8:], s.stream.Uint64())
	return id
}

type batchSource struct {
	batchID string
	signal  Signal
}

func (s batchSource) ID(project string, index int) record.ItemID {
	// Length prefixes keep ("a", "bc") and ("ab", "c") apart.
	b := make([]byte, 0, 128)
	b = binary.AppendUvarint(b, uint64(len(project)))
	b = append(b, project...)
	b = binary.AppendUvarint(b, uint64(len(s.batchID)))
	b = append(b, s.batchID...)
	b = append(b, byte(s.signal))
	b = binary.AppendUvarint(b, uint64(index))
	sum := sha256.Sum256(b)
	return record.ItemID(sum[:16])
}
