package demo

import (
	"bytes"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

// body is a prepared NDJSON body. Its length never changes; stamp gives it new
// times and ids in place, so that sending it again stores new records.
type body struct {
	content []byte
	items   int
	times   []int // offsets of the timestamps, in line order
	ids     []int // offsets of four hex digits of every id
	round   uint16
}

// roundDigits are the hex digits of an id that say how often a body was sent.
const roundDigits = 4

// prepare makes n bodies of size items each, of traces that end at the given
// time, which stamp replaces. The spans and events of a mix come
// from the same generator as the requests, but not always from their traces.
func prepare(g *Generator, at time.Time, n, size int, mix workload.Mix) ([]*body, error) {
	queues := map[string][]Item{}
	order := strings.Repeat("r", mix.Requests) + strings.Repeat("s", mix.Spans) + strings.Repeat("e", mix.Events)
	kinds := map[byte]string{'r': "request", 's': "span", 'e': "event"}
	next := func(kind string) Item {
		for len(queues[kind]) == 0 {
			for _, item := range g.Trace(at) {
				// Kinds the mix has too many of are dropped, not hoarded.
				if len(queues[item.Type]) < 4096 {
					queues[item.Type] = append(queues[item.Type], item)
				}
			}
		}
		item := queues[kind][0]
		queues[kind] = queues[kind][1:]
		return item
	}
	bodies := make([]*body, n)
	turn := 0
	for i := range bodies {
		b := &body{items: size}
		for range size {
			item := next(kinds[order[turn%len(order)]])
			turn++
			from := len(b.content)
			var err error
			if b.content, err = item.AppendLine(b.content); err != nil {
				return nil, err
			}
			b.index(from)
		}
		bodies[i] = b
	}
	return bodies, nil
}

// index notes where the line that begins at from has its time and ids. Quotes
// inside values are escaped in JSON, so a key can be found as text.
func (b *body) index(from int) {
	line := b.content[from:]
	find := func(key string) (int, bool) {
		i := bytes.Index(line, []byte(`"`+key+`":"`))
		return from + i + len(key) + 4, i >= 0
	}
	if at, found := find("ts"); found {
		b.times = append(b.times, at)
	}
	for _, key := range []string{"trace_id", "span_id", "parent_span_id"} {
		if at, found := find(key); found {
			b.ids = append(b.ids, at)
		}
	}
	if at, found := find("request_id"); found {
		b.ids = append(b.ids, at+len("req_"))
	}
}

// stamp makes the body new: its items end at now, step apart, and their ids
// differ from those of every earlier round of the body.
func (b *body) stamp(now time.Time, step time.Duration) {
	text := make([]byte, 0, 2*len(timeLayout))
	second := int64(-1 << 62)
	for i, at := range b.times {
		t := now.Add(-step * time.Duration(len(b.times)-1-i))
		if t.Unix() != second {
			second = t.Unix()
			text = t.UTC().AppendFormat(text[:0], timeLayout)
		}
		us := t.Nanosecond() / 1000
		for j := len(timeLayout) - 2; j > len(timeLayout)-8; j-- {
			text[j] = byte('0' + us%10)
			us /= 10
		}
		copy(b.content[at:], text)
	}
	var digits [roundDigits]byte
	for i := range digits {
		digits[i] = hexDigits[b.round>>(4*(roundDigits-1-i))&15]
	}
	for _, at := range b.ids {
		copy(b.content[at:], digits[:])
	}
	b.round++
}
