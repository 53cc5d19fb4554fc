package workload

import "encoding/binary"

// message is a protobuf message in the making. Its methods append a field and
// give the place of the field's content, so that it can be changed later: what no
// library offers.
type message []byte

// Wire types of protobuf.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
)

func (m *message) tag(field, wire int) {
	*m = binary.AppendUvarint(*m, uint64(field<<3|wire))
}

func (m *message) varint(field int, v uint64) {
	m.tag(field, wireVarint)
	*m = binary.AppendUvarint(*m, v)
}

func (m *message) fixed64(field int) int {
	m.tag(field, wireFixed64)
	*m = append(*m, 0, 0, 0, 0, 0, 0, 0, 0)
	return len(*m) - 8
}

func (m *message) text(field int, s string) int {
	m.tag(field, wireBytes)
	*m = binary.AppendUvarint(*m, uint64(len(s)))
	*m = append(*m, s...)
	return len(*m) - len(s)
}

func (m *message) message(field int, inner *message) int {
	m.tag(field, wireBytes)
	*m = binary.AppendUvarint(*m, uint64(len(*inner)))
	*m = append(*m, *inner...)
	return len(*m) - len(*inner)
}

// attribute appends a KeyValue with a string and gives the place of the string,
// which ends the message.
func (m *message) attribute(field int, key, value string) int {
	var v, kv message
	v.text(1, value)
	kv.text(1, key)
	kv.message(2, &v)
	m.message(field, &kv)
	return len(*m) - len(value)
}

// number appends a KeyValue with an integer.
func (m *message) number(field int, key string, value uint64) {
	var v, kv message
	v.varint(3, value)
	kv.text(1, key)
	kv.message(2, &v)
	m.message(field, &kv)
}
