package deadletter

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	fileMagic     = "TWDEAD"
	formatVersion = 1
	headerSize    = 8
	entryMagic    = "DLET"
	frameSize     = 16 // in front of the metadata
	alignment     = 8

	suffix     = ".dead"
	tempSuffix = ".tmp"
	lockName   = "LOCK"

	// maxMetadata bounds what is decoded of an entry without its payload.
	maxMetadata = 64 << 10
	// maxPayload keeps lengths in 32 bits.
	maxPayload = 1 << 30
	// maxReason is how much of the store's text is kept.
	maxReason = 8 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func fileHeader() []byte {
	return binary.LittleEndian.AppendUint16([]byte(fileMagic), formatVersion)
}

// checkHeader says whether b is a header at all, and fails if it is one of another
// version.
func checkHeader(b []byte) (bool, error) {
	if string(b[:len(fileMagic)]) != fileMagic {
		return false, nil
	}
	if v := binary.LittleEndian.Uint16(b[len(fileMagic):]); v != formatVersion {
		return true, fmt.Errorf("format version %d, this release reads %d: use the release that wrote it, or upgrade", v, formatVersion)
	}
	return true, nil
}

// encode gives the entry's frame, padded.
func encode(e *Entry) ([]byte, error) {
	meta, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	if len(meta) > maxMetadata {
		return nil, fmt.Errorf("metadata of %d bytes: want at most %d", len(meta), maxMetadata)
	}
	if len(e.Payload) > maxPayload {
		return nil, fmt.Errorf("payload of %d bytes: want at most %d", len(e.Payload), maxPayload)
	}
	b := make([]byte, 0, frameLen(len(meta), len(e.Payload)))
	b = append(b, entryMagic...)
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(meta)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(e.Payload)))
	b = append(b, meta...)
	b = append(b, e.Payload...)
	binary.LittleEndian.PutUint32(b[4:], crc32.Checksum(b[8:], castagnoli))
	return b[:cap(b)], nil
}

func frameLen(meta, payload int) int64 {
	n := int64(frameSize) + int64(meta) + int64(payload)
	return (n + alignment - 1) &^ (alignment - 1)
}

// frame is a decoded head of an entry.
type frame struct {
	sum           uint32
	meta, payload int
}

func (f frame) size() int64 { return frameLen(f.meta, f.payload) }

// readFrame decodes a head; false if it is none or reaches past rest bytes.
func readFrame(b []byte, rest int64) (f frame, whole, ok bool) {
	if string(b[:4]) != entryMagic {
		return f, false, false
	}
	meta, payload := binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])
	f = frame{sum: binary.LittleEndian.Uint32(b[4:]), meta: int(meta), payload: int(payload)}
	return f, f.size() <= rest, meta <= maxMetadata
}

func filePath(dir string, seq uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%016x%s", seq, suffix))
}

func fileSeq(name string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	if !ok || len(digits) != 16 {
		return 0, false
	}
	seq, err := strconv.ParseUint(digits, 16, 64)
	return seq, err == nil
}
