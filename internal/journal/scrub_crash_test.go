package journal_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/journal"
	"github.com/trackwayhq/trackway/internal/journal/journaltest"
)

// A crash at any change of the disk during a scrub loses nothing that was durable,
// brings nothing back that was deleted, and the next scrub finishes.
func TestScrubCrashes(t *testing.T) {
	for _, loss := range []journaltest.Loss{journaltest.KeepAll, journaltest.LoseAll, journaltest.LoseSome} {
		for crash := 1; crash < 60; crash += 2 {
			t.Run(fmt.Sprintf("loss %d, crash at change %d", loss, crash), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(uint64(crash), uint64(loss)))
				fs := journaltest.New()
				opts := journal.Options{SegmentBytes: journal.MinSegmentBytes, MaxBytes: 16 * journal.MinSegmentBytes, FlushInterval: time.Hour, FileSystem: fs}
				j, err := journal.Open("journal", opts)
				require.NoError(t, err)
				s, err := j.Space("s")
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				for i := range 40 {
					ops := []journal.Op{{Kind: journal.Set, Key: fmt.Sprint(i), Value: bytes.Repeat([]byte{byte(i)}, 4000)}}
					if i >= 20 {
						ops = append(ops, journal.Op{Kind: journal.Delete, Key: fmt.Sprint(i - 20)})
					}
					seq, err := s.Apply(ops, journal.Now)
					require.NoError(t, err)
					require.NoError(t, j.Wait(ctx, seq))
				}
				fs.CrashAfter(crash)
				_ = j.Scrub(ctx)
				fs.Crash()
				_ = j.Close()

				opts.FileSystem = fs.Restart(rng, loss)
				j, err = journal.Open("journal", opts)
				require.NoError(t, err)
				s, err = j.Space("s")
				require.NoError(t, err)
				require.Len(t, s.Keys(), 20)
				require.NoError(t, j.Scrub(ctx))
				for i := range 20 {
					get := []journal.Op{{Kind: journal.Get, Key: fmt.Sprint(20 + i)}}
					_, err := s.Apply(get, journal.Now)
					require.NoError(t, err)
					require.Equal(t, bytes.Repeat([]byte{byte(20 + i)}, 4000), get[0].Value)
				}
				require.NoError(t, j.Close())
			})
		}
	}
}
