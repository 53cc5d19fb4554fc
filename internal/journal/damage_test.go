package journal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// craft is a record of a hand-made segment. Its payload sets key to value.
type craft struct {
	kind       uint8
	seq        uint64
	synced     uint64
	key, value string
	damaged    bool // one bit is wrong
	absent     bool // never reached the disk: zeros
	trim       uint64
}

func (c craft) encode(h segmentHeader) []byte {
	rec := make([]byte, recordHeader)
	switch c.kind {
	case kindBatch:
		rec = binary.AppendUvarint(rec, 1)
		rec = appendOp(rec, Set, "s", c.key, []byte(c.value))
	case kindTrim:
		rec = binary.LittleEndian.AppendUint64(rec, c.trim)
	}
	putRecordHead(rec, recordHead{length: uint32(len(rec) - recordHeader), seq: c.seq, synced: c.synced, kind: c.kind})
	sealRecord(rec, h.seed())
	if c.damaged {
		rec[0] ^= 1
	}
	rec = append(rec, make([]byte, align(int64(len(rec)))-int64(len(rec)))...)
	if c.absent {
		clear(rec)
	}
	return rec
}

func put(seq, synced uint64, key, value string) craft {
	return craft{kind: kindBatch, seq: seq, synced: synced, key: key, value: value}
}

func damaged(c craft) craft { c.damaged = true; return c }
func absent(c craft) craft  { c.absent = true; return c }
func end(seq uint64) craft  { return craft{kind: kindEnd, seq: seq, synced: seq - 1} }

// writeSegments makes a journal of hand-made segments, by their sequence.
func writeSegments(t *testing.T, dir string, segments map[uint64][]craft) {
	t.Helper()
	for seq, records := range segments {
		h := segmentHeader{id: journalID{1}, seq: seq, size: MinSegmentBytes}
		b := h.encode()
		for _, r := range records {
			b = append(b, r.encode(h)...)
		}
		require.NoError(t, os.WriteFile(segmentPath(dir, seq), append(b, make([]byte, MinSegmentBytes-len(b))...), fileMode))
	}
}

func TestTornTailOrCorruption(t *testing.T) {
	first := int64(headerSize)
	second := first + int64(len(put(1, 0, "a", "1").encode(segmentHeader{})))
	for name, tt := range map[string]struct {
		segments map[uint64][]craft
		want     string // keys and values found
		torn     int64
		corrupt  string // segment and offset, "" if it opens
	}{
		"nothing wrong":             {segments: map[uint64][]craft{1: {put(1, 0, "a", "1"), put(2, 1, "b", "2")}, 2: nil}, want: "a=1 b=2"},
		"last record torn":          {segments: map[uint64][]craft{1: {put(1, 0, "a", "1"), damaged(put(2, 1, "b", "2"))}}, want: "a=1", torn: 1},
		"last record never written": {segments: map[uint64][]craft{1: {put(1, 0, "a", "1"), absent(put(2, 1, "b", "2"))}}, want: "a=1"},
		"a hole in the last group":  {segments: map[uint64][]craft{1: {put(1, 0, "a", "1"), absent(put(2, 1, "b", "2")), put(3, 1, "c", "3")}}, want: "a=1", torn: 1},
		"all of the first group":    {segments: map[uint64][]craft{1: {damaged(put(1, 0, "a", "1")), put(2, 0, "b", "2")}}, torn: 1},
		"torn in a later segment":   {segments: map[uint64][]craft{1: {put(1, 0, "a", "1"), end(2)}, 2: {damaged(put(3, 2, "b", "2"))}, 3: nil}, want: "a=1", torn: 1},
		"torn end of a segment":     {segments: map[uint64][]craft{1: {put(1, 0, "a", "1"), damaged(end(2))}, 2: nil}, want: "a=1", torn: 1},
		"ended, next never written": {segments: map[uint64][]craft{1: {put(1, 0, "a", "1"), end(2)}}, want: "a=1"},
		"synced record damaged": {
			segments: map[uint64][]craft{1: {put(1, 0, "a", "1"), damaged(put(2, 1, "b", "2")), put(3, 2, "c", "3")}},
			corrupt:  fmt.Sprintf("%016x.seg at offset %d: record 2 is damaged", 1, second),
		},
		"closed, then damaged": {
			segments: map[uint64][]craft{1: {damaged(put(1, 0, "a", "1")), {kind: kindClose, seq: 2, synced: 1}}},
			corrupt:  fmt.Sprintf("%016x.seg at offset %d: record 1 is damaged", 1, first),
		},
		"damaged before a later segment": {
			segments: map[uint64][]craft{1: {put(1, 0, "a", "1"), damaged(put(2, 1, "b", "2")), end(3)}, 2: {put(4, 3, "c", "3")}},
			corrupt:  fmt.Sprintf("%016x.seg at offset %d: the segment has no end", 1, second),
		},
		"a record is missing": {
			segments: map[uint64][]craft{1: {put(1, 0, "a", "1"), put(3, 0, "b", "2")}},
			corrupt:  fmt.Sprintf("%016x.seg at offset %d: record 3 follows record 1", 1, second),
		},
		"a segment in between is missing": {
			segments: map[uint64][]craft{1: {put(1, 0, "a", "1"), end(2)}, 3: {put(9, 8, "b", "2")}},
			corrupt:  fmt.Sprintf("%016x.seg at offset 0: the segment is missing", 2),
		},
		"the first segment is missing": {
			segments: map[uint64][]craft{2: {put(9, 8, "b", "2")}},
			corrupt:  fmt.Sprintf("%016x.seg at offset 0: the segment is missing", 1),
		},
		"trimmed segments are gone": {segments: map[uint64][]craft{4: {put(9, 8, "b", "2"), {kind: kindTrim, seq: 10, synced: 9, trim: 4}}}, want: "b=2"},
		"a trimmed segment is left": {segments: map[uint64][]craft{3: {put(8, 7, "b", "1"), end(9)}, 4: {put(10, 9, "b", "2"), {kind: kindTrim, seq: 11, synced: 10, trim: 4}}}, want: "b=2"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeSegments(t, dir, tt.segments)
			j, err := Open(dir, small())
			if tt.corrupt != "" {
				require.ErrorIs(t, err, ErrCorrupt)
				require.ErrorContains(t, err, filepath.Join(dir, tt.corrupt))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, content(t, j))
			assert.Equal(t, tt.torn, j.Stats().TornTails)
			// Whatever was behind the cut never comes back.
			set(t, mustSpace(t, j, "other"), "x", "1")
			require.NoError(t, j.Close())
			j = mustOpen(t, dir, small())
			assert.Zero(t, j.Stats().TornTails)
			assert.Equal(t, tt.want, content(t, j))
		})
	}
}

// content is what space s holds.
func content(t *testing.T, j *Journal) string {
	t.Helper()
	s := mustSpace(t, j, "s")
	var pairs []string
	for _, key := range s.Keys() {
		pairs = append(pairs, fmt.Sprintf("%s=%s", key, get(t, s, key)))
	}
	s.Close()
	return strings.Join(pairs, " ")
}

func TestRecordBehindTheCutStaysDead(t *testing.T) {
	// Record 3 of the torn group is whole. A new record 2 of the same size would end
	// where it starts; a second crash must not make it follow.
	dir := t.TempDir()
	writeSegments(t, dir, map[uint64][]craft{1: {put(1, 0, "a", "1"), absent(put(2, 1, "b", "2")), put(3, 1, "c", "3")}})
	j, err := Open(dir, small())
	require.NoError(t, err)
	s := mustSpace(t, j, "s")
	wait(t, j, set(t, s, "b", "4"))
	// The process dies: no clean close.
	copied := t.TempDir()
	for _, seq := range []uint64{1, 2} {
		b, err := os.ReadFile(segmentPath(dir, seq))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(segmentPath(copied, seq), b, fileMode))
	}
	require.NoError(t, j.Close())
	assert.Equal(t, "a=1 b=4", content(t, mustOpen(t, copied, small())))
}

func TestDamagedHeadersRefuse(t *testing.T) {
	for name, change := range map[string]func(b []byte){
		"magic":    func(b []byte) { b[0] ^= 1 },
		"version":  func(b []byte) { b[8]++ },
		"sequence": func(b []byte) { b[32] ^= 1 },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeSegments(t, dir, map[uint64][]craft{1: {put(1, 0, "a", "1")}})
			b, err := os.ReadFile(segmentPath(dir, 1))
			require.NoError(t, err)
			change(b)
			require.NoError(t, os.WriteFile(segmentPath(dir, 1), b, fileMode))
			_, err = Open(dir, small())
			require.ErrorIs(t, err, ErrCorrupt)
			require.ErrorContains(t, err, segmentPath(dir, 1)+" at offset 0")
		})
	}
	dir := t.TempDir()
	writeSegments(t, dir, map[uint64][]craft{1: {put(1, 0, "a", "1")}})
	require.NoError(t, os.Rename(segmentPath(dir, 1), segmentPath(dir, 2)))
	_, err := Open(dir, small())
	require.ErrorContains(t, err, "the header is that of segment 0000000000000001")
}

func TestValueDamagedOnDiskFailsTheJournal(t *testing.T) {
	dir := t.TempDir()
	opts := small()
	failed := make(chan error, 1)
	opts.OnFailure = func(err error) { failed <- err }
	writeSegments(t, dir, map[uint64][]craft{1: {put(1, 0, "a", "some value")}})
	j, err := Open(dir, opts)
	require.NoError(t, err)
	s := mustSpace(t, j, "s")
	b, err := os.ReadFile(segmentPath(dir, 1))
	require.NoError(t, err)
	b[headerSize+recordHeader+8] ^= 1
	require.NoError(t, os.WriteFile(segmentPath(dir, 1), b, fileMode))

	_, err = s.Apply([]Op{{Kind: Get, Key: "a"}}, Now)
	require.ErrorIs(t, err, ErrCorrupt)
	require.ErrorIs(t, <-failed, ErrFailed)
	_, err = s.Apply([]Op{{Kind: Delete, Key: "a"}}, Lazy)
	require.ErrorIs(t, err, ErrFailed, "what could not be read is not deleted")
	require.ErrorIs(t, j.Close(), ErrFailed)
}

func TestSalvage(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	writeSegments(t, dir, map[uint64][]craft{
		1: {put(1, 0, "a", "1"), damaged(put(2, 1, "b", "2")), put(3, 2, "c", "3"), put(4, 3, "a", "4"), end(5)},
		2: {put(6, 5, "d", "5")},
		3: {put(7, 6, "e", "6"), end(8)},
	})
	b, err := os.ReadFile(segmentPath(dir, 2))
	require.NoError(t, err)
	b[0] = 0
	require.NoError(t, os.WriteFile(segmentPath(dir, 2), b, fileMode))
	_, err = Open(dir, small())
	require.ErrorIs(t, err, ErrCorrupt)

	report, err := Salvage(dir, to, small())
	require.NoError(t, err)
	second := headerSize + int64(len(put(1, 0, "a", "1").encode(segmentHeader{})))
	assert.Equal(t, SalvageReport{
		Segments: 3, Records: 6, Sets: 4, Keys: 3,
		Lost: []Lost{
			{File: segmentPath(dir, 1), Offset: second, Bytes: 40, Records: 1, Reason: "not readable"},
			{File: segmentPath(dir, 2), Reason: "not a segment of a journal"},
			{File: segmentPath(dir, 3), Offset: headerSize, Records: 1, Reason: "not readable"},
		},
	}, report)
	assert.Equal(t, "a=4 c=3 e=6", content(t, mustOpen(t, to, small())))
	_, err = Salvage(dir, to, small())
	require.ErrorContains(t, err, "holds a journal already")
}

func FuzzSegment(f *testing.F) {
	h := segmentHeader{id: journalID{1}, seq: 1, size: MinSegmentBytes}
	for _, records := range [][]craft{{put(1, 0, "a", "1"), put(2, 1, "b", "2")}, {damaged(put(1, 0, "a", "1"))}, {end(1)}, {{kind: kindTrim, seq: 1, trim: 9}}} {
		var b []byte
		for _, r := range records {
			b = append(b, r.encode(h)...)
		}
		f.Add(b, true)
	}
	f.Fuzz(func(t *testing.T, body []byte, seal bool) {
		if len(body) > MinSegmentBytes-headerSize {
			return
		}
		if length := int64(len(body)) - recordHeader; seal && length >= 0 {
			// Most mutations would stop at the checksum: make it right.
			putRecordHead(body, recordHead{length: uint32(length), seq: 1, kind: 1 + body[24]%4})
			sealRecord(body, h.seed())
		}
		file := bytes.NewReader(append(h.encode(), body...))
		offsets := map[int64]bool{}
		require.NoError(t, findRecords(file, h, headerSize, func(rec foundRecord) (bool, error) {
			offsets[rec.off] = true
			return true, nil
		}))
		scan := newScanner(file, h)
		for {
			rec, ok, err := scan.next()
			require.NoError(t, err)
			if !ok {
				return
			}
			require.True(t, offsets[rec.off], "the search finds what the scan finds")
			require.LessOrEqual(t, rec.off+rec.size(), h.size)
			var again []byte
			if rec.kind == kindBatch && decodeOps(rec.payload, func(op loggedOp) error {
				require.True(t, bytes.Equal(op.value, rec.payload[op.at:op.at+len(op.value)]))
				again = appendOp(again, op.kind, op.space, op.key, op.value)
				return nil
			}) == nil {
				require.LessOrEqual(t, len(again), len(rec.payload), "lengths have one shortest form")
			}
		}
	})
}
