package journal_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackwayhq/trackway/internal/journal"
	"github.com/trackwayhq/trackway/internal/journal/journaltest"
)

const dir = "journal"

// state is what a space holds; values are told apart by their start.
type state map[string]string

func (s state) String() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s=%.12s(%d) ", key, s[key], len(s[key]))
	}
	return b.String()
}

// machine runs a journal on a machine that crashes, beside a model: all states
// since the last one that is known to be durable.
type machine struct {
	t       *rapid.T
	fs      *journaltest.CrashFS
	rng     *rand.Rand
	opts    journal.Options
	journal *journal.Journal
	space   *journal.Space

	history []state
	seqs    []uint64 // what to wait for until history[i] is durable
	serial  int
}

func (m *machine) now() state { return m.history[len(m.history)-1] }

func (m *machine) open() {
	for {
		j, err := m.tryOpen()
		if err == nil {
			m.journal = j
			break
		}
		if !errors.Is(err, journaltest.ErrCrashed) {
			m.t.Fatalf("only a crash may keep it from opening: %v", err)
		}
		m.restart()
	}
	var err error
	m.space, err = m.journal.Space("s")
	require.NoError(m.t, err)
}

func (m *machine) tryOpen() (*journal.Journal, error) {
	opts := m.opts
	opts.FileSystem = m.fs
	return journal.Open(dir, opts)
}

func (m *machine) restart() {
	loss := journaltest.Loss(m.rng.IntN(3))
	m.fs = m.fs.Restart(m.rng, loss)
	if m.rng.IntN(2) == 0 {
		m.fs.CrashAfter(1 + m.rng.IntN(60))
	} else if m.rng.IntN(2) == 0 {
		m.fs.CrashAfter(1 + m.rng.IntN(600))
	}
}

// recovered crashes if it has not, opens again, and checks what is there.
func (m *machine) recovered() {
	m.fs.Crash()
	_ = m.journal.Close()
	m.restart()
	m.open()
	for {
		found, err := m.read()
		if err == nil {
			m.check(found)
			return
		}
		require.ErrorIs(m.t, err, journaltest.ErrCrashed)
		_ = m.journal.Close()
		m.restart()
		m.open()
	}
}

func (m *machine) read() (state, error) {
	found := state{}
	for _, key := range m.space.Keys() {
		ops := []journal.Op{{Kind: journal.Get, Key: key}}
		if _, err := m.space.Apply(ops, journal.Now); err != nil {
			return nil, err
		}
		found[key] = string(ops[0].Value)
	}
	return found, nil
}

func (m *machine) check(found state) {
	var possible []string
	for _, s := range m.history {
		if maps.Equal(s, found) {
			m.history, m.seqs = []state{found}, []uint64{0}
			return
		}
		possible = append(possible, s.String())
	}
	m.t.Fatalf("after the crash: %v\nwant one of:\n%s", found, strings.Join(possible, "\n"))
}

// apply applies to journal and model.
func (m *machine) apply(ops []journal.Op, d journal.Durability) {
	seq, err := m.space.Apply(ops, d)
	switch {
	case err == nil:
	case m.fs.Crashed():
		m.recovered()
		return
	default:
		require.ErrorIs(m.t, err, journal.ErrFull)
		return
	}
	next := maps.Clone(m.now())
	for _, op := range ops {
		switch op.Kind {
		case journal.Set:
			next[op.Key] = string(op.Value)
		case journal.Delete:
			delete(next, op.Key)
		}
	}
	m.history = append(m.history, next)
	if d == journal.Lazy {
		seq = 0 // part of a later record
	}
	m.seqs = append(m.seqs, seq)
}

func (m *machine) value(size int) []byte {
	m.serial++
	return append(fmt.Appendf(nil, "%d:", m.serial), make([]byte, size)...)
}

// wait makes the last state that was appended the oldest possible one.
func (m *machine) wait() {
	i := len(m.seqs) - 1
	for ; i > 0 && m.seqs[i] == 0; i-- {
	}
	if i == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := m.journal.Wait(ctx, m.seqs[i]); err != nil {
		require.True(m.t, m.fs.Crashed(), "%v", err)
		m.recovered()
		return
	}
	m.history, m.seqs = m.history[i:], m.seqs[i:]
}

func TestCrashAnywhereLeavesAStateThatHasBeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{
			t: t, fs: journaltest.New(), rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)),
			opts: journal.Options{
				SegmentBytes: journal.MinSegmentBytes, MaxBytes: journal.MinSegments * journal.MinSegmentBytes,
				CacheBytes: rapid.SampledFrom([]int64{1, 1 << 20}).Draw(t, "cache"), FlushInterval: time.Millisecond,
				Sync: rapid.SampledFrom([]journal.SyncMode{journal.SyncGroup, journal.SyncEach}).Draw(t, "sync"),
			},
			history: []state{{}}, seqs: []uint64{0},
		}
		m.open()
		defer func() {
			m.fs.Crash()
			_ = m.journal.Close()
		}()
		key := rapid.IntRange(0, 12)
		size := rapid.SampledFrom([]int{0, 10, 600, 5000, 20000})
		for _, what := range rapid.SliceOfN(rapid.IntRange(0, 99), 50, 400).Draw(t, "steps") {
			k, k2 := fmt.Sprint(key.Draw(t, "key")), fmt.Sprint(key.Draw(t, "key2"))
			switch {
			case what < 35:
				m.apply([]journal.Op{{Kind: journal.Set, Key: k, Value: m.value(size.Draw(t, "size"))}, {Kind: journal.Set, Key: "meta", Value: m.value(20)}}, journal.Now)
			case what < 50:
				m.apply([]journal.Op{{Kind: journal.Delete, Key: k}, {Kind: journal.Set, Key: "meta", Value: m.value(20)}}, journal.Lazy)
			case what < 60:
				m.apply([]journal.Op{{Kind: journal.Delete, Key: k}, {Kind: journal.Delete, Key: k2}}, journal.Now)
			case what < 70:
				m.apply([]journal.Op{{Kind: journal.Set, Key: k, Value: m.value(size.Draw(t, "size"))}}, journal.Lazy)
			case what < 85:
				m.wait()
			case what < 92:
				found, err := m.read()
				if err != nil {
					require.True(t, m.fs.Crashed(), "%v", err)
					m.recovered()
					continue
				}
				require.Equal(t, m.now().String(), found.String())
			case what < 95: // a clean restart
				if err := m.journal.Close(); err != nil {
					require.True(t, m.fs.Crashed(), "%v", err)
					m.recovered()
					continue
				}
				m.history, m.seqs = []state{m.now()}, []uint64{0}
				m.open()
				if m.fs.Crashed() {
					m.recovered()
				}
			case what < 98:
				m.recovered()
			default:
				m.fs.CrashAfter(1 + m.rng.IntN(40))
			}
		}
		m.recovered()
	})
}
