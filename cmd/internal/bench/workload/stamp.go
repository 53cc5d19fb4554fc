package workload

import (
	"encoding/binary"
	"time"
)

// step is the time between the items of a body whose times are ordered.
const step = 10 * time.Microsecond

// Stamp makes the body new: its times end at now or lie in the days before it,
// and the identifiers of its items are those of batch number seq. No two numbers
// give the same identifiers.
func (b *Body) Stamp(seq uint64, now time.Time) {
	words := source{state: scramble(b.options.Seed) ^ seq<<20}
	spread := time.Duration(b.options.SpreadDays) * 24 * time.Hour
	var clock textClock
	var t traceIDs
	for i := range b.items {
		p := &b.items[i]
		if p.begins || i == 0 {
			t = traceIDs{words.next(), words.next(), words.next(), words.next()}
		}
		at := now.Add(-step * time.Duration(len(b.items)-1-i))
		if spread > 0 {
			at = now.Add(-time.Duration(words.next() % uint64(spread)))
		}
		if b.options.Format == NDJSON {
			p.text(b.Content, &t, &clock, at)
		} else {
			p.binary(b.Content, &t, at)
		}
		for _, at := range p.requests {
			if at >= 0 {
				hexText(b.Content[at:], t.request, letters)
			}
		}
	}
}

// traceIDs are the random numbers that the identifiers of a trace are made of.
type traceIDs struct{ high, low, spans, request uint64 }

// span is the id of the span at a place of the trace. It is never zero, which is
// no id.
func (t *traceIDs) span(place int) uint64 { return scramble(t.spans+uint64(place)) | 1 }

func (p *places) text(content []byte, t *traceIDs, clock *textClock, at time.Time) {
	clock.put(content[p.start:], at)
	hexText(content[p.trace:], t.high, hexDigits)
	hexText(content[p.trace+16:], t.low, hexDigits)
	hexText(content[p.span:], t.span(p.place), hexDigits)
	if p.parent >= 0 {
		hexText(content[p.parent:], t.span(0), hexDigits)
	}
}

func (p *places) binary(content []byte, t *traceIDs, at time.Time) {
	nanos := uint64(at.UnixNano())
	binary.LittleEndian.PutUint64(content[p.start:], nanos)
	if p.end >= 0 {
		binary.LittleEndian.PutUint64(content[p.end:], nanos+uint64(p.micros)*1000)
	}
	binary.BigEndian.PutUint64(content[p.trace:], t.high)
	binary.BigEndian.PutUint64(content[p.trace+8:], t.low)
	binary.BigEndian.PutUint64(content[p.span:], t.span(p.place))
	if p.parent >= 0 {
		binary.BigEndian.PutUint64(content[p.parent:], t.span(0))
	}
}

// source is SplitMix64: cheap, and its outputs for one state never repeat.
type source struct{ state uint64 }

func (s *source) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	return scramble(s.state)
}

func scramble(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Alphabets of sixteen. Request ids have letters only: a run of random digits
// would now and then be a card number, which redaction masks.
const (
	hexDigits = "0123456789abcdef"
	letters   = "abcdefghijklmnop"
)

// hexText writes a number as sixteen digits of an alphabet.
func hexText(dst []byte, v uint64, alphabet string) {
	_ = dst[15]
	for i := 15; i >= 0; i-- {
		dst[i] = alphabet[v&15]
		v >>= 4
	}
}

// decimal fills dst with the decimal digits of v.
func decimal(dst []byte, v uint64) {
	for i := len(dst) - 1; i >= 0; i-- {
		dst[i] = byte('0' + v%10)
		v /= 10
	}
}

// timeLayout has a fixed width.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// textClock writes times; most share their second with the one before.
type textClock struct {
	second int64
	text   [2 * len(timeLayout)]byte // room for the digits that AppendFormat cuts again
}

func (c *textClock) put(dst []byte, at time.Time) {
	if s := at.Unix(); s != c.second {
		c.second = s
		at.UTC().AppendFormat(c.text[:0], timeLayout)
	}
	decimal(c.text[20:26], uint64(at.Nanosecond()/1000))
	copy(dst, c.text[:len(timeLayout)])
}
