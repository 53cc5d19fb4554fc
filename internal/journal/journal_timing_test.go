package journal

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkAppendAndWait is one durable request of 52 KB a time and writer, read
// back and deleted as a queue does.
func BenchmarkAppendAndWait(b *testing.B) {
	value := bytes.Repeat([]byte("0123456789abcdef"), 52<<10/16)
	for _, mode := range []SyncMode{SyncGroup, SyncOff} {
		for _, writers := range []int{1, 64} {
			b.Run(fmt.Sprintf("sync=%s/writers=%d", mode, writers), func(b *testing.B) {
				var syncs atomic.Int64
				j, err := Open(b.TempDir(), Options{Sync: mode, OnSync: func(time.Duration) { syncs.Add(1) }})
				if err != nil {
					b.Fatal(err)
				}
				defer j.Close()
				s, err := j.Space("s")
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(value)))
				b.ReportAllocs()
				b.ResetTimer()
				var next atomic.Int64
				var group sync.WaitGroup
				for range writers {
					group.Go(func() {
						for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
							key := fmt.Sprint(n)
							seq, err := s.Apply([]Op{{Kind: Set, Key: key, Value: value}, {Kind: Set, Key: "meta", Value: value[:200]}}, Now)
							if err == nil {
								err = j.Wait(b.Context(), seq)
							}
							if err == nil {
								_, err = s.Apply([]Op{{Kind: Get, Key: key}, {Kind: Set, Key: "meta", Value: value[:200]}, {Kind: Delete, Key: key}}, Lazy)
							}
							if err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				group.Wait()
				b.StopTimer()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
				b.ReportMetric(float64(syncs.Load())/float64(b.N), "syncs/request")
			})
		}
	}
}
