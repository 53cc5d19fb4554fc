package columns

import (
	"bytes"
	"encoding/binary"
)

// Version is the version of the encoding, its first byte.
const Version = 1

// Forms of an encoded column.
const (
	formDefault  = 0
	formConstant = 1
	formFull     = 2
)

// indexWidth is the number of bytes of an index into a dictionary of n entries.
func indexWidth(n int) int {
	switch {
	case n <= 1<<8:
		return 1
	case n <= 1<<16:
		return 2
	}
	return 4
}

func appendIndex(dst []byte, width int, i uint32) []byte {
	switch width {
	case 1:
		return append(dst, byte(i))
	case 2:
		return binary.LittleEndian.AppendUint16(dst, uint16(i))
	}
	return binary.LittleEndian.AppendUint32(dst, i)
}

func appendIndices(dst []byte, width int, idx []uint32) []byte {
	switch width {
	case 1:
		for _, i := range idx {
			dst = append(dst, byte(i))
		}
	case 2:
		for _, i := range idx {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(i))
		}
	default:
		for _, i := range idx {
			dst = binary.LittleEndian.AppendUint32(dst, i)
		}
	}
	return dst
}

func appendBlob(dst, b []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(b)))
	return append(dst, b...)
}

// encode appends the encoding of what was appended to the Batch.
func (b *Batch) encode(dst []byte) []byte {
	if b.dict.table == nil {
		b.dict.reset()
	}
	dst = append(dst, Version)
	dst = binary.AppendUvarint(dst, uint64(b.dict.len()))
	for i := range uint32(b.dict.len()) {
		dst = appendBlob(dst, b.dict.at(i))
	}
	width := indexWidth(b.dict.len())
	dst = binary.AppendUvarint(dst, uint64(len(b.building)))
	for _, p := range b.building {
		dst = binary.AppendVarint(dst, p.window)
		dst = binary.AppendUvarint(dst, uint64(len(p.runs)))
		for _, r := range p.runs {
			dst = appendIndex(dst, width, r.project)
			dst = binary.AppendUvarint(dst, uint64(r.n))
			if r.counted {
				dst = append(dst, 1)
			} else {
				dst = append(dst, 0)
			}
		}
		for t := range p.tables {
			dst = p.tables[t].encode(dst, tableID(t), width)
		}
	}
	return dst
}

func (t *rows) encode(dst []byte, id tableID, width int) []byte {
	dst = binary.AppendUvarint(dst, uint64(t.n))
	if t.n == 0 {
		return dst
	}
	for _, c := range tableColumns[id] {
		b := &t.cols[c]
		info := &columnInfos[c]
		if b.n > 0 && b.n < t.n {
			b.fill(info.shape, info.width, t.n)
		}
		dst = b.encode(dst, info, width)
	}
	if len(t.items) == t.n && same(t.items, 1) {
		return append(dst, formConstant, t.items[0])
	}
	return appendBlob(append(dst, formFull), t.items)
}

func (c *buffer) encode(dst []byte, info *columnInfo, width int) []byte {
	if c.n == 0 {
		return append(dst, formDefault)
	}
	switch info.shape {
	case fixed:
		if same(c.data, info.width) {
			return append(append(dst, formConstant), c.data[:info.width]...)
		}
		return append(append(dst, formFull), c.data...)
	case lowCard:
		if constant(c.idx) {
			return appendIndex(append(dst, formConstant), width, c.idx[0])
		}
		return appendIndices(append(dst, formFull), width, c.idx)
	case text:
		return appendBlob(append(dst, formFull), c.data)
	}
	dst = append(dst, formFull)
	dst = binary.AppendUvarint(dst, uint64(len(c.idx)))
	dst = appendBlob(dst, c.counts)
	dst = appendIndices(dst, width, c.idx)
	if info.shape == pairs {
		dst = appendBlob(dst, c.data)
	}
	return dst
}

// same says whether all values of width bytes are the same.
func same(data []byte, width int) bool { return bytes.Equal(data[width:], data[:len(data)-width]) }

func constant(idx []uint32) bool {
	for _, i := range idx {
		if i != idx[0] {
			return false
		}
	}
	return true
}
