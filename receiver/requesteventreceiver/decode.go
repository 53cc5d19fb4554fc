package requesteventreceiver

import (
	"time"
	"unicode/utf8"
)

// limits are the decoder's part of the configuration.
type limits struct {
	maxBodyBytes  int
	maxAttributes int
	maxAge        time.Duration
	traces, logs  bool // whether a pipeline takes them
}

// decoder turns lines into the items of a batch. It is reused, not shared.
type decoder struct {
	limits limits
	now    time.Time // of the body's arrival
	batch  *batch
	text   arena

	scanner
	fields [numFields]uint32 // nodes; 0 is none
	others []uint32          // nodes of keys that are no fields
	given  int               // attributes that the fields can become
	attrs  attributeBuilder
}

func newDecoder() *decoder { return &decoder{} }

// reset prepares the decoder for a body. Nothing of the last one is kept but
// buffers.
func (d *decoder) reset(l limits, now time.Time) {
	d.limits, d.now = l, now
	d.maxMembers = l.maxAttributes
	d.batch = newBatch()
	d.text = arena{}
}

// release lets go of what belongs to the body.
func (d *decoder) release() {
	d.batch, d.text, d.line = nil, arena{}, nil
	d.attrs.release()
}

// decode decodes one line and appends its item to the batch. The line is written
// to, and belongs to the item from then on. One that is rejected leaves the batch as
// it was; the request id it gave is returned with the error, so that the sender can
// tell which it was.
func (d *decoder) decode(line []byte) (requestID string, _ *lineError) {
	if !utf8.Valid(line) {
		return "", rejectLine(reasonInvalidJSON, "line: want UTF-8")
	}
	if lerr := d.scan(line); lerr != nil {
		return "", lerr
	}
	if root := d.at(0); root.kind != kindObject {
		return "", rejectLine(reasonInvalidJSON, "line: want one JSON object, got %s", d.describe(0))
	}
	if d.tooWide {
		return "", rejectLine(reasonTooMany, "line: an object of more than %d keys (max_attributes)", d.limits.maxAttributes)
	}
	d.fields = [numFields]uint32{}
	d.others, d.given = d.others[:0], 0
	for i := range d.children(0) {
		n := d.at(i)
		if n.kind == kindNull {
			continue
		}
		if f, ok := fieldOf(d.keyOf(n)); ok {
			d.fields[f] = i
			d.given += given[f]
		} else {
			d.others = append(d.others, i)
		}
	}
	lerr := d.item()
	if id := d.fields[fieldRequestID]; lerr != nil && id != 0 && d.at(id).kind == kindString {
		requestID = cut(d.textOf(d.at(id)), maxGotBytes)
	}
	return requestID, lerr
}
