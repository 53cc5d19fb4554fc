package clickhouserollupexporter

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/trackwayhq/trackway/internal/enginetest"
)

// BenchmarkStore says what a request costs from ConsumeTraces to the answer, with
// deliveries of 500 from several senders: CPU of this process and of the engine.
func BenchmarkStore(b *testing.B) {
	const rows = 500
	for _, senders := range []int{4, 16, 64} {
		b.Run(fmt.Sprint(senders, " senders"), func(b *testing.B) {
			server := enginetest.Start(b)
			e, err := NewFactory().CreateTraces(context.Background(), settings(), configFor(server))
			require.NoError(b, err)
			require.NoError(b, e.Start(context.Background(), componenttest.NewNopHost()))
			defer func() { require.NoError(b, e.Shutdown(context.Background())) }()
			td := requestTraces(rows, time.Now())
			for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
				s.Events().RemoveIf(func(ptrace.SpanEvent) bool { return true })
			}
			require.NoError(b, e.ConsumeTraces(context.Background(), td))

			ours, engine := cpu(b, os.Getpid()), cpu(b, server.PID())
			var next atomic.Int64
			var wg sync.WaitGroup
			b.ResetTimer()
			for range senders {
				wg.Go(func() {
					for next.Add(1) <= int64(b.N) {
						if err := e.ConsumeTraces(context.Background(), td); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			n := float64(b.N * rows)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/row")
			b.ReportMetric(float64((cpu(b, os.Getpid())-ours).Nanoseconds())/n, "exporter-cpu-ns/row")
			b.ReportMetric(float64((cpu(b, server.PID())-engine).Nanoseconds())/n, "engine-cpu-ns/row")
		})
	}
}

// cpu is the CPU time a process has used, to a hundredth of a second.
func cpu(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(b, err)
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, err := strconv.Atoi(fields[11])
	require.NoError(b, err)
	system, err := strconv.Atoi(fields[12])
	require.NoError(b, err)
	return time.Duration(user+system) * 10 * time.Millisecond
}
