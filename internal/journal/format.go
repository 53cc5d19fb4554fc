package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

const (
	segmentMagic   = "TWJOURNL"
	formatVersion  = 1
	headerSize     = 4096 // a page, so that records never share one with the header
	headerUsed     = 8 + 4 + 4 + idSize + 8 + 8
	idSize         = 16
	recordHeader   = 32
	alignment      = 8
	endRecordSize  = recordHeader
	maxSegmentSize = 1 << 30 // offsets inside a record are 32 bits
)

// Kinds of records.
const (
	kindBatch uint8 = 1 + iota
	kindEnd
	kindTrim
	kindClose
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	errPayload = errors.New("the payload is not a batch of operations")
)

type journalID [idSize]byte

// segmentHeader is the first page of a segment.
type segmentHeader struct {
	id   journalID
	seq  uint64
	size int64
}

func (h segmentHeader) encode() []byte {
	b := make([]byte, 0, headerSize)
	b = append(b, segmentMagic...)
	b = binary.LittleEndian.AppendUint32(b, formatVersion)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = append(b, h.id[:]...)
	b = binary.LittleEndian.AppendUint64(b, h.seq)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.size))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return b[:headerSize]
}

func decodeSegmentHeader(b []byte) (segmentHeader, error) {
	var h segmentHeader
	if len(b) < headerUsed+4 || string(b[:8]) != segmentMagic {
		return h, errors.New("not a segment of a journal")
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != formatVersion {
		return h, fmt.Errorf("format version %d, this release reads %d", v, formatVersion)
	}
	if crc32.Checksum(b[:headerUsed], castagnoli) != binary.LittleEndian.Uint32(b[headerUsed:]) {
		return h, errors.New("the header's checksum is wrong")
	}
	copy(h.id[:], b[16:])
	h.seq = binary.LittleEndian.Uint64(b[16+idSize:])
	h.size = int64(binary.LittleEndian.Uint64(b[24+idSize:]))
	if h.size < headerSize+endRecordSize || h.size > maxSegmentSize {
		return h, fmt.Errorf("the header gives a size of %d bytes", h.size)
	}
	return h, nil
}

// seed is where the checksums of a segment's records start.
func (h segmentHeader) seed() uint32 {
	var b [idSize + 8]byte
	copy(b[:], h.id[:])
	binary.LittleEndian.PutUint64(b[idSize:], h.seq)
	return crc32.Checksum(b[:], castagnoli)
}

// recordHead is a record's header without its checksum.
type recordHead struct {
	length uint32
	seq    uint64
	synced uint64
	kind   uint8
}

// size is what the record takes on disk.
func (h recordHead) size() int64 { return align(recordHeader + int64(h.length)) }

func align(n int64) int64 { return (n + alignment - 1) &^ (alignment - 1) }

// putRecordHead fills in the header of a record whose payload is in place. The
// checksum is added by sealRecord, outside the journal's lock.
func putRecordHead(rec []byte, h recordHead) {
	binary.LittleEndian.PutUint32(rec[4:], h.length)
	binary.LittleEndian.PutUint64(rec[8:], h.seq)
	binary.LittleEndian.PutUint64(rec[16:], h.synced)
	binary.LittleEndian.PutUint64(rec[24:], uint64(h.kind))
}

func sealRecord(rec []byte, seed uint32) {
	length := binary.LittleEndian.Uint32(rec[4:])
	binary.LittleEndian.PutUint32(rec, recordChecksum(rec[:recordHeader], rec[recordHeader:recordHeader+length], seed))
}

func checksumOf(rec []byte) uint32 { return binary.LittleEndian.Uint32(rec) }

func recordChecksum(head, payload []byte, seed uint32) uint32 {
	return crc32.Update(crc32.Update(seed, castagnoli, head[4:]), castagnoli, payload)
}

// readRecordHead reads a header and says whether it could be one; room is how many
// bytes the segment has from the header on.
func readRecordHead(b []byte, room int64) (recordHead, bool) {
	h := recordHead{
		length: binary.LittleEndian.Uint32(b[4:]),
		seq:    binary.LittleEndian.Uint64(b[8:]),
		synced: binary.LittleEndian.Uint64(b[16:]),
		kind:   b[24],
	}
	plausible := h.kind >= kindBatch && h.kind <= kindClose && binary.LittleEndian.Uint64(b[24:]) == uint64(h.kind) &&
		h.seq > 0 && h.synced < h.seq && h.size() <= room
	return h, plausible
}

// Operations in the payload of a batch:
//
//	payload  count uvarint, then per operation: kind u8 | space | key | value of a set
//	space, key, value: length uvarint, bytes
type loggedOp struct {
	kind  OpKind
	space string
	key   string
	value []byte // of a set, shared with the payload
	at    int    // offset of the value in the payload
}

func appendOp(b []byte, kind OpKind, space, key string, value []byte) []byte {
	b = append(b, byte(kind))
	b = binary.AppendUvarint(b, uint64(len(space)))
	b = append(b, space...)
	b = binary.AppendUvarint(b, uint64(len(key)))
	b = append(b, key...)
	if kind == Set {
		b = binary.AppendUvarint(b, uint64(len(value)))
		b = append(b, value...)
	}
	return b
}

// opSize is an upper bound of what appendOp adds.
func opSize(space, key string, value []byte) int64 {
	return int64(1 + 3*binary.MaxVarintLen32 + len(space) + len(key) + len(value))
}

// decodeOps calls fn for each operation of a batch's payload.
func decodeOps(payload []byte, fn func(loggedOp) error) error {
	count, n := binary.Uvarint(payload)
	if n <= 0 || count > uint64(len(payload)) {
		return errPayload
	}
	pos := n
	field := func() ([]byte, bool) {
		length, n := binary.Uvarint(payload[pos:])
		if n <= 0 || length > uint64(len(payload)-pos-n) {
			return nil, false
		}
		pos += n + int(length)
		return payload[pos-int(length) : pos : pos], true
	}
	for range count {
		if pos >= len(payload) {
			return errPayload
		}
		op := loggedOp{kind: OpKind(payload[pos])}
		pos++
		space, ok1 := field()
		key, ok2 := field()
		if !ok1 || !ok2 || (op.kind != Set && op.kind != Delete) {
			return errPayload
		}
		op.space, op.key = string(space), string(key)
		if op.kind == Set {
			value, ok := field()
			if !ok {
				return errPayload
			}
			op.value, op.at = value, pos-len(value)
		}
		if err := fn(op); err != nil {
			return err
		}
	}
	if pos != len(payload) {
		return errPayload
	}
	return nil
}
