package journal

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counting is a change that counts how often it was made, in total.
func counting(s *Space, total *uint64) Also {
	return Also{Space: s, Key: "total", MaxBytes: 8, Value: func(dst []byte) ([]byte, bool) {
		*total++ // under the journal's lock
		return binary.LittleEndian.AppendUint64(dst, *total), true
	}}
}

func totalOf(t *testing.T, s *Space) uint64 {
	t.Helper()
	v := get(t, s, "total")
	if v == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(v)
}

// Whatever prefix of the log survives, the total counts exactly the offers in it.
func TestATotalIsNeverPartedFromWhatItCounts(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir, small())
	queue, ledger := mustSpace(t, j, "queue"), mustSpace(t, j, "ledger")
	var total uint64
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 25 {
				_, err := queue.ApplyWith([]Op{{Kind: Set, Key: fmt.Sprint(w, i), Value: []byte("offer")}}, Now, []Also{counting(ledger, &total)})
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 200, totalOf(t, ledger))
	require.NoError(t, j.Close())
	path := segmentPath(dir, 1)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for cut := headerSize; cut < len(whole); cut += 997 {
		at := t.TempDir()
		torn := append([]byte(nil), whole...)
		clear(torn[cut:])
		require.NoError(t, os.WriteFile(filepath.Join(at, filepath.Base(path)), torn, 0o600))
		j, err := Open(at, small())
		require.NoError(t, err)
		require.EqualValues(t, len(mustSpace(t, j, "queue").Keys()), totalOf(t, mustSpace(t, j, "ledger")), "cut at %d", cut)
		require.NoError(t, j.Close())
	}
}

func TestARefusedBatchDoesNotCount(t *testing.T) {
	j := mustOpen(t, t.TempDir(), small())
	queue, ledger := mustSpace(t, j, "queue"), mustSpace(t, j, "ledger")
	var total uint64
	for n := uint64(0); ; n++ {
		_, err := queue.ApplyWith([]Op{{Kind: Set, Key: fmt.Sprint(n), Value: make([]byte, 8<<10)}}, Now, []Also{counting(ledger, &total)})
		if err != nil {
			require.ErrorIs(t, err, ErrFull)
			require.Equal(t, n, total)
			break
		}
	}
	// What frees room is taken, with its count, when new data is not.
	_, err := queue.ApplyWith([]Op{{Kind: Delete, Key: "0"}}, Lazy, []Also{counting(ledger, &total)})
	require.NoError(t, err)
	assert.Nil(t, get(t, queue, "0"))
	assert.Equal(t, total, totalOf(t, ledger))
}

func TestAChangeCanDelete(t *testing.T) {
	j := mustOpen(t, t.TempDir(), small())
	queue, ledger := mustSpace(t, j, "queue"), mustSpace(t, j, "ledger")
	set(t, ledger, "k", "v")
	_, err := queue.ApplyWith([]Op{{Kind: Set, Key: "a", Value: []byte("x")}}, Now,
		[]Also{{Space: ledger, Key: "k", Value: func([]byte) ([]byte, bool) { return nil, false }}})
	require.NoError(t, err)
	assert.Nil(t, get(t, ledger, "k"))
}

func TestAChangeOfAnotherJournalIsRefused(t *testing.T) {
	a, b := mustOpen(t, t.TempDir(), small()), mustOpen(t, t.TempDir(), small())
	var total uint64
	_, err := mustSpace(t, a, "queue").ApplyWith([]Op{{Kind: Set, Key: "k"}}, Now, []Also{counting(mustSpace(t, b, "ledger"), &total)})
	require.ErrorContains(t, err, `space "ledger", which is in another journal`)
	assert.Zero(t, total)
}
