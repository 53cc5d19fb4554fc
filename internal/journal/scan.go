package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

const scanBuffer = 256 << 10

// foundRecord is a record read from a segment; its payload is valid until the
// next one is read.
type foundRecord struct {
	recordHead
	off     int64
	payload []byte
}

// scanner reads the records of a segment in order, up to the first that is not
// valid.
type scanner struct {
	r       *bufio.Reader
	seed    uint32
	size    int64
	off     int64 // of the next record, and where the scan stopped
	payload []byte
}

func newScanner(f io.ReaderAt, h segmentHeader) *scanner {
	return &scanner{
		r:    bufio.NewReaderSize(io.NewSectionReader(f, headerSize, h.size-headerSize), scanBuffer),
		seed: h.seed(), size: h.size, off: headerSize,
	}
}

// next gives the next record. It is false at the first that is not valid, be it
// never written, torn or damaged; an error is one of reading.
func (s *scanner) next() (foundRecord, bool, error) {
	if s.off+recordHeader > s.size {
		return foundRecord{}, false, nil
	}
	var head [recordHeader]byte
	if _, err := io.ReadFull(s.r, head[:]); err != nil {
		return foundRecord{}, false, readError(err)
	}
	h, plausible := readRecordHead(head[:], s.size-s.off)
	if !plausible {
		return foundRecord{}, false, nil
	}
	body := int(h.size() - recordHeader)
	if cap(s.payload) < body {
		s.payload = make([]byte, body)
	}
	s.payload = s.payload[:body]
	if _, err := io.ReadFull(s.r, s.payload); err != nil {
		return foundRecord{}, false, readError(err)
	}
	payload := s.payload[:h.length]
	if recordChecksum(head[:], payload, s.seed) != checksumOf(head[:]) {
		return foundRecord{}, false, nil
	}
	found := foundRecord{recordHead: h, off: s.off, payload: payload}
	s.off += h.size()
	return found, true, nil
}

// readError makes nothing of a file that is shorter than its header says: the
// missing bytes are bytes that are not valid.
func readError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// findRecords looks for valid records at every possible place from off on and
// calls fn for each, with gaps where nothing is valid.
func findRecords(f io.ReaderAt, h segmentHeader, off int64, fn func(foundRecord) (more bool, err error)) error {
	data := make([]byte, max(h.size-off, 0))
	n, err := f.ReadAt(data, off)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	data = data[:n]
	seed := h.seed()
	for pos := int64(0); pos+recordHeader <= int64(len(data)); {
		found, ok := recordAt(data, pos, seed)
		if !ok {
			pos += alignment
			continue
		}
		size := found.size()
		found.off = off + pos
		more, err := fn(found)
		if err != nil || !more {
			return err
		}
		pos += size
	}
	return nil
}

func recordAt(data []byte, pos int64, seed uint32) (foundRecord, bool) {
	rest := data[pos:]
	h, plausible := readRecordHead(rest, int64(len(rest)))
	if !plausible {
		return foundRecord{}, false
	}
	payload := rest[recordHeader : recordHeader+int64(h.length)]
	if recordChecksum(rest[:recordHeader], payload, seed) != checksumOf(rest) {
		return foundRecord{}, false
	}
	return foundRecord{recordHead: h, payload: payload}, true
}

// readHeader reads a segment's header; the error names the file.
func readHeader(f io.ReaderAt, path string) (segmentHeader, error) {
	b := make([]byte, headerSize)
	n, err := f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return segmentHeader{}, fmt.Errorf("read %s: %w", path, err)
	}
	h, err := decodeSegmentHeader(b[:n])
	if err != nil {
		return segmentHeader{}, &CorruptError{File: path, Reason: err.Error()}
	}
	return h, nil
}
