package batchindex

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/trackwayhq/trackway/internal/alongside"
)

// Key is the hash of what makes a batch one.
type Key [16]byte

// KeyOf gives the key of a project's batch. part tells apart what arrives as one
// batch and is taken in several steps, its traces and its logs.
func KeyOf(project, id string, part byte) Key {
	b := binary.AppendUvarint(nil, uint64(len(project)))
	b = append(b, project...)
	b = append(b, part)
	b = append(b, id...)
	sum := sha256.Sum256(b)
	return Key(sum[:16])
}

// Options of an index.
type Options struct {
	// MaxIDs bounds how many ids are remembered, and so the memory.
	MaxIDs int
	// Remember is how long an id is remembered, at least, if MaxIDs allows.
	Remember time.Duration
	// Now is time.Now unless given.
	Now func() time.Time
}

const (
	singlePrefix = "s/"
	pagePrefix   = "p/"
	pageSize     = 512
)

// place is the number of the value that holds an id; pages have the high bit set.
type place uint64

const isPage place = 1 << 63

func (p place) key() string {
	if p&isPage != 0 {
		return pagePrefix + strconv.FormatUint(uint64(p&^isPage), 10)
	}
	return singlePrefix + strconv.FormatUint(uint64(p), 10)
}

// Index is the ids that are remembered. Its methods may be called concurrently.
type Index struct {
	client alongside.Client
	opts   Options

	// mu is taken inside the journal's lock, see Remember; the journal must not be
	// called while it is held.
	mu       sync.Mutex
	known    map[Key]place
	singles  []place // applied and in no page, in order
	pages    []place // in order
	next     place
	inFlight map[Key]chan struct{}
	repeats  int64

	keeping sync.Mutex // one Keep at a time
}

// Open reads what client remembers.
func Open(ctx context.Context, client alongside.Client, opts Options) (*Index, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	x := &Index{client: client, opts: opts, known: map[Key]place{}, inFlight: map[Key]chan struct{}{}}
	for _, key := range client.Keys() {
		p, ok := parsePlace(key)
		if !ok {
			continue
		}
		if p&isPage != 0 {
			x.pages = append(x.pages, p)
		} else {
			x.singles = append(x.singles, p)
		}
		x.next = max(x.next, p&^isPage)
	}
	slices.Sort(x.pages)
	slices.Sort(x.singles)
	for _, p := range slices.Concat(x.pages, x.singles) {
		entries, err := x.read(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			x.known[e.key] = p
		}
	}
	return x, nil
}

func parsePlace(key string) (place, bool) {
	for prefix, bit := range map[string]place{singlePrefix: 0, pagePrefix: isPage} {
		if digits, ok := strings.CutPrefix(key, prefix); ok {
			n, err := strconv.ParseUint(digits, 10, 63)
			return place(n) | bit, err == nil
		}
	}
	return 0, false
}

// Begin says whether the batch was taken before, and what was answered then. If the
// same batch is being taken, it waits for what becomes of that. If it is not known,
// the caller takes it, with Remember in the record that makes it durable, and calls
// End in any case.
func (x *Index) Begin(ctx context.Context, key Key) (answer []byte, known bool, err error) {
	for {
		x.mu.Lock()
		p, known := x.known[key]
		taking := x.inFlight[key]
		if !known && taking == nil {
			x.inFlight[key] = make(chan struct{})
		}
		if known {
			x.repeats++
		}
		x.mu.Unlock()
		switch {
		case taking != nil:
			select {
			case <-taking:
			case <-ctx.Done():
				return nil, false, ctx.Err()
			}
		case known:
			answer, found, err := x.answer(ctx, key, p)
			if found || err != nil {
				return answer, found, err
			}
			// It has moved to a page meanwhile, or was forgotten.
		default:
			return nil, false, nil
		}
	}
}

func (x *Index) answer(ctx context.Context, key Key, p place) ([]byte, bool, error) {
	entries, err := x.read(ctx, p)
	if err != nil {
		return nil, false, err
	}
	for _, e := range entries {
		if e.key == key {
			return e.answer, true, nil
		}
	}
	return nil, false, nil
}

// End says that the caller has taken the batch, or has given up.
func (x *Index) End(key Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if taking := x.inFlight[key]; taking != nil {
		close(taking)
		delete(x.inFlight, key)
	}
}

// Remember is the change that goes into the record that makes the batch durable.
func (x *Index) Remember(key Key, answer []byte) alongside.Change {
	x.mu.Lock()
	x.next++
	p := x.next
	x.mu.Unlock()
	e := entry{key: key, time: uint32(x.opts.Now().Unix()), answer: answer}
	return x.client.Change(p.key(), e.size(), func(dst []byte) ([]byte, bool) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.known[key] = p
		x.singles = append(x.singles, p)
		return e.append(dst), true
	})
}

func (x *Index) read(ctx context.Context, p place) ([]entry, error) {
	value, err := x.client.Get(ctx, p.key())
	if err != nil {
		return nil, fmt.Errorf("batch ids: %w", err)
	}
	entries, err := decodeEntries(value)
	if err != nil {
		return nil, fmt.Errorf("batch ids: key %q: %w", p.key(), err)
	}
	return entries, nil
}

// Stats are gauges of an index.
type Stats struct {
	IDs     int64
	Repeats int64 // batches that were known
}

// Stats returns gauges.
func (x *Index) Stats() Stats {
	x.mu.Lock()
	defer x.mu.Unlock()
	return Stats{IDs: int64(len(x.known)), Repeats: x.repeats}
}
