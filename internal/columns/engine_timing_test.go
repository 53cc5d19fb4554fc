package columns

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/enginetest"
)

// BenchmarkEngine says what a request costs the engine, by size of unit, merges
// included: its processor time until the unit is answered and merges are over. An
// operation is a unit; -benchtime 20x gives the merges something to do.
func BenchmarkEngine(b *testing.B) {
	for _, rows := range []int{8_000, 25_000, 50_000} {
		b.Run(fmt.Sprint(rows, " rows"), func(b *testing.B) {
			server := enginetest.Start(b)
			createSchema(b, server)
			var e Encoder
			store := func(unit uint64) (bytes int) {
				var parts []*Part
				g := newTraffic(unit)
				for range rows / 500 {
					var batch Batch
					parts = append(parts, g.batch(&batch, 500, time.Now()).Parts()...)
				}
				inserts, err := e.Unit(unit, parts)
				require.NoError(b, err)
				for _, ins := range inserts {
					post(b, server, ins)
					bytes += len(ins.Body)
				}
				return bytes
			}
			bytes := store(0)
			waitForMerges(b, server)
			before := processorTime(b, server.PID())
			unit := uint64(0)
			for b.Loop() {
				unit++
				store(unit)
			}
			waitForMerges(b, server)
			used := processorTime(b, server.PID()) - before
			b.ReportMetric(float64(used.Nanoseconds())/float64(b.N*rows), "engine-cpu-ns/row")
			b.ReportMetric(float64(bytes)/float64(rows), "B/row")
		})
	}
}

// waitForMerges waits until the engine merges nothing, some times in a row.
func waitForMerges(b *testing.B, s *enginetest.Server) {
	b.Helper()
	for quiet := 0; quiet < 5; time.Sleep(100 * time.Millisecond) {
		if quiet++; s.Query(b, "SELECT count() FROM system.merges") != "0\n" {
			quiet = 0
		}
	}
}

// processorTime is what a process has used, to a hundredth of a second.
func processorTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(b, err)
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	var user, system int64
	_, err = fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	require.NoError(b, err)
	return time.Duration(user+system) * 10 * time.Millisecond
}
