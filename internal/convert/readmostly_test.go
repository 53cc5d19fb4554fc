package convert

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadMostlyKeepsTheFirstOfEach(t *testing.T) {
	const limit = 50
	var m readMostly[int]
	var made atomic.Int32
	var wg sync.WaitGroup
	got := make([][2 * limit]int, 8)
	for w := range got {
		wg.Go(func() {
			for round := range 20 {
				for i := range 2 * limit {
					key := fmt.Sprint(i)
					v, ok := m.get(key)
					if !ok {
						v, ok = m.add(key, limit, func() int { made.Add(1); return 1000*(i+1) + w })
					}
					if !ok {
						v = -1
					}
					if round > 0 && got[w][i] != v {
						t.Errorf("%d was %d and is %d", i, got[w][i], v)
					}
					got[w][i] = v
				}
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, limit, made.Load(), "as many as the limit are kept")
	for w := range got {
		require.Equal(t, got[0], got[w], "everybody sees the same")
	}
	require.Len(t, *m.published.Load(), limit, "once full, nothing takes the lock")
}
