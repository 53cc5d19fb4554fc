package batchindex

import (
	"encoding/binary"
	"errors"
)

// entry is an id as it is stored: key [16] | time u32, seconds since 1970, little
// endian | length uvarint | answer. A value is any number of them.
type entry struct {
	key    Key
	time   uint32
	answer []byte
}

const entryHead = 16 + 4

var errEntries = errors.New("not a list of batch ids")

func (e *entry) size() int { return entryHead + binary.MaxVarintLen32 + len(e.answer) }

func (e *entry) append(dst []byte) []byte {
	dst = append(dst, e.key[:]...)
	dst = binary.LittleEndian.AppendUint32(dst, e.time)
	dst = binary.AppendUvarint(dst, uint64(len(e.answer)))
	return append(dst, e.answer...)
}

// decodeEntries reads a value; its entries share its memory.
func decodeEntries(b []byte) ([]entry, error) {
	var out []entry
	for len(b) > 0 {
		if len(b) < entryHead {
			return nil, errEntries
		}
		e := entry{key: Key(b[:16]), time: binary.LittleEndian.Uint32(b[16:])}
		b = b[entryHead:]
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return nil, errEntries
		}
		e.answer = b[n : n+int(size) : n+int(size)]
		b = b[n+int(size):]
		out = append(out, e)
	}
	return out, nil
}
