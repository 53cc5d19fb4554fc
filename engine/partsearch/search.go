package partsearch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/trackwayhq/trackway/engine/blockcompress"
)

// Hit is a text found in a file.
type Hit struct {
	Path string
	// Offset is that of the compressed block in the file, or of the text itself in a
	// file that is not compressed.
	Offset int64
	// Around is the text with some bytes on both sides.
	Around []byte
}

// Report is what a search has read.
type Report struct {
	Files int
	// Bytes that were searched, decompressed ones where blocks are compressed.
	Bytes int64
	// Numeric counts the bytes of blocks with several codecs, which only numbers
	// have; they were not decoded.
	Numeric int64
	Hits    []Hit
}

// maxHits bounds the hits of a report.
const maxHits = 100

// context bytes of a hit on both sides.
const around = 24

// Search reads all files below the directories. A directory or file that goes away
// meanwhile is skipped, as parts do when they have been merged.
func Search(ctx context.Context, texts [][]byte, directories ...string) (Report, error) {
	s := searcher{texts: texts}
	for _, t := range texts {
		s.overlap = max(s.overlap, len(t)-1)
	}
	for _, directory := range directories {
		err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || ctx.Err() != nil {
				return errors.Join(err, ctx.Err())
			}
			if !entry.Type().IsRegular() {
				return nil
			}
			if err := s.file(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("searching %s: %w", path, err)
			}
			return nil
		})
		if err != nil {
			return s.report, err
		}
	}
	return s.report, nil
}

type searcher struct {
	texts   [][]byte
	overlap int // bytes that a text may reach into the next piece
	report  Report
}

func (s *searcher) file(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s.report.Files++
	in := bufio.NewReaderSize(f, 1<<20)
	if head, err := in.Peek(headerSize); err == nil && isBlock(head) {
		return s.blocks(path, in)
	}
	return s.plain(path, in, 0)
}

// plain searches bytes as they are, in pieces that overlap.
func (s *searcher) plain(path string, in io.Reader, offset int64) error {
	buffer := make([]byte, 0, 1<<20)
	for {
		kept := len(buffer)
		n, err := io.ReadFull(in, buffer[kept:cap(buffer)])
		buffer = buffer[:kept+n]
		s.report.Bytes += int64(n)
		s.look(path, offset, buffer, true)
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil
			}
			return err
		}
		tail := buffer[len(buffer)-min(s.overlap, len(buffer)):]
		offset += int64(len(buffer) - len(tail))
		buffer = append(buffer[:0], tail...)
	}
}

// look reports the texts in a piece. With exact, the offset is that of the piece
// and a hit's is inside of it.
func (s *searcher) look(path string, offset int64, piece []byte, exact bool) {
	for _, t := range s.texts {
		for at := 0; len(s.report.Hits) < maxHits; {
			i := bytes.Index(piece[at:], t)
			if i < 0 {
				break
			}
			at += i
			where := offset
			if exact {
				where += int64(at)
			}
			s.report.Hits = append(s.report.Hits, Hit{
				Path: path, Offset: where, Around: bytes.Clone(piece[max(0, at-around):min(len(piece), at+len(t)+around)]),
			})
			at += len(t)
		}
	}
}

// The layout of a compressed block: checksum, method, sizes with and without
// compression, data (src/Compression/CompressedReadBufferBase.cpp).
const (
	checksumSize = 16
	headerSize   = checksumSize + 1 + 4 + 4
	ownSize      = headerSize - checksumSize // counted by the compressed size
	maxBlock     = 128 << 20

	methodNone     = 0x02
	methodLZ4      = 0x82
	methodZSTD     = 0x90
	methodMultiple = 0x91
)

func isBlock(head []byte) bool {
	switch head[checksumSize] {
	case methodNone, methodLZ4, methodZSTD, methodMultiple, 0x93, 0x92, 0x94: // T64, Delta, DoubleDelta
	default:
		return false
	}
	size := binary.LittleEndian.Uint32(head[checksumSize+1:])
	data := binary.LittleEndian.Uint32(head[checksumSize+5:])
	return size >= ownSize && size < maxBlock && data < maxBlock
}

// blocks searches a file of compressed blocks. Where the file stops being one, the
// rest is searched as it is.
func (s *searcher) blocks(path string, in *bufio.Reader) error {
	var tail []byte // of the block before
	for offset := int64(0); ; {
		head, err := in.Peek(headerSize)
		if len(head) == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil || !isBlock(head) {
			return s.plain(path, in, offset)
		}
		method := head[checksumSize]
		frame := make([]byte, checksumSize+int(binary.LittleEndian.Uint32(head[checksumSize+1:])))
		n, err := io.ReadFull(in, frame)
		if errors.Is(err, io.ErrUnexpectedEOF) { // no block after all, or one that is being written
			s.report.Bytes += int64(n)
			s.look(path, offset, frame[:n], true)
			return nil
		}
		if err != nil {
			return err
		}
		switch method {
		case methodNone, methodLZ4, methodZSTD:
			data, err := io.ReadAll(blockcompress.NewReader(bytes.NewReader(frame)))
			if err != nil { // bytes that only look like a block
				s.report.Bytes += int64(len(frame))
				s.look(path, offset, frame, true)
				break
			}
			s.report.Bytes += int64(len(data))
			piece := append(tail, data...)
			s.look(path, offset, piece, false)
			tail = bytes.Clone(piece[len(piece)-min(s.overlap, len(piece)):])
		default:
			s.report.Numeric += int64(len(frame))
			tail = nil
		}
		offset += int64(len(frame))
	}
}
