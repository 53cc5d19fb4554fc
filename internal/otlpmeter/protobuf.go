package otlpmeter

// protobuf follows the wire format (protobuf.dev/programming-guides/encoding).
type protobuf struct {
	bytes int64
	pos   int64   // of the next byte
	open  []frame // the messages around it, from the request in
	skip  int64   // bytes left of a value that is passed over

	state  state
	varint uint64
	shift  uint
	field  int32
}

type frame struct {
	*message
	end int64
}

type state uint8

const (
	wantTag state = iota
	wantNumber
	wantLength
	// broken is where the bytes are not what they should be. A decoder fails there too:
	// what it makes of those before was counted.
	broken
	// lost is behind the start of a group, which OTLP has none of and decoders pass
	// over. They are not followed: the rest counts as the worst that it can be.
	lost
)

// worst is what a byte of a message can take at most: a span of two.
const worst = (240 + pointer) / 2

// endless is the end of the request, whose length need not be known.
const endless = int64(1) << 62

func newProtobuf(root *message) *protobuf {
	p := &protobuf{open: make([]frame, 1, 16)}
	p.open[0] = frame{root, endless}
	return p
}

// Bytes is what was found so far.
func (p *protobuf) Bytes() int64 { return p.bytes }

// Write takes the next bytes.
func (p *protobuf) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		if p.skip > 0 {
			step := min(p.skip, int64(len(b)))
			b, p.skip, p.pos = b[step:], p.skip-step, p.pos+step
			p.close()
			continue
		}
		switch p.state {
		case broken:
			return n, nil
		case lost:
			p.bytes += worst * int64(len(b))
			return n, nil
		case wantTag, wantNumber, wantLength:
		}
		c := b[0]
		b = b[1:]
		p.pos++
		p.varint |= uint64(c&0x7f) << p.shift
		if c >= 0x80 {
			if p.shift += 7; p.shift >= 64 {
				p.state = broken
			}
			continue
		}
		v := p.varint
		p.varint, p.shift = 0, 0
		if err := p.number(v, b); err != nil {
			return n - len(b), err
		}
	}
	return n, nil
}

// inner is the message that a field is; nil for others.
func (m *message) inner(field int32) *message {
	switch {
	case field < int32(len(m.messages)):
		return m.messages[field]
	case field == formerScopes && m.messages[2] != nil && m.messages[1] == resource:
		return m.messages[2]
	}
	return nil
}

// number takes a whole varint; b are the bytes behind it, as far as they are there.
func (p *protobuf) number(v uint64, b []byte) error {
	top := p.open[len(p.open)-1]
	switch p.state {
	case wantTag:
		p.field = int32(v >> 3)
		if p.field <= 0 {
			p.state = broken
			return nil
		}
		switch v & 7 {
		case 0:
			p.state = wantNumber
		case 1:
			p.pass(8)
		case 2:
			p.state = wantLength
		case 5:
			p.pass(4)
		case 3:
			p.state = lost
		default:
			p.state = broken
		}
		return nil
	case wantNumber:
		p.state = wantTag
		p.pass(0)
	case wantLength:
		p.state = wantTag
		if v > uint64(top.end-p.pos) {
			p.state = broken
			return nil
		}
		inner := top.inner(p.field)
		if inner == nil {
			p.bytes += top.packed * int64(v)
			p.pass(int64(v))
			return nil
		}
		p.bytes += inner.bytes
		if inner == keyValue && v <= uint64(len(b)) && plain(b[:v]) {
			p.bytes += anyValue.bytes + anyValue.field
			p.skip = int64(v)
			p.close()
			return nil
		}
		if len(p.open) > MaxDepth {
			return tooDeep()
		}
		p.open = append(p.open, frame{inner, p.pos + int64(v)})
		p.close()
	case broken, lost:
	}
	return nil
}

// plain says whether a KeyValue is of the form nearly all have: a key and a value,
// in either order, of less than 128 bytes each, and the value one text or number.
func plain(kv []byte) bool {
	for n := 0; len(kv) > 0; n++ {
		if n == 2 || len(kv) < 2 || kv[1] >= 0x80 || len(kv) < 2+int(kv[1]) {
			return false
		}
		inner := kv[2 : 2+kv[1]]
		if kv[0] != 0x0a && (kv[0] != 0x12 || !scalar(inner)) {
			return false
		}
		kv = kv[2+len(inner):]
	}
	return true
}

// scalar says whether an AnyValue is one text or number.
func scalar(value []byte) bool {
	if len(value) < 2 {
		return false
	}
	switch last := value[len(value)-1]; value[0] {
	case 0x0a: // string_value
		return int(value[1]) == len(value)-2
	case 0x10, 0x18: // bool_value, int_value
		for _, c := range value[1 : len(value)-1] {
			if c < 0x80 {
				return false
			}
		}
		return last < 0x80
	case 0x21: // double_value
		return len(value) == 9
	}
	return false
}

// pass skips the n bytes of a field that is no message.
func (p *protobuf) pass(n int64) {
	p.bytes += p.open[len(p.open)-1].field
	p.skip = n
	if n == 0 {
		p.close()
	}
}

// close leaves the messages that end here.
func (p *protobuf) close() {
	if p.skip > 0 {
		return
	}
	for p.open[len(p.open)-1].end <= p.pos {
		if p.open[len(p.open)-1].end < p.pos {
			p.state = broken // a value reaches beyond its message
			return
		}
		p.open = p.open[:len(p.open)-1]
	}
}
