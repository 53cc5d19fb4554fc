package sender

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latency is a distribution in milliseconds.
type Latency struct {
	Count int64   `json:"count"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	P999  float64 `json:"p999"`
	Max   float64 `json:"max"`
}

// Histograms hold latencies from 1 µs to 2 minutes with three digits.
const (
	histogramMin    = 1
	histogramMax    = 120_000_000
	histogramDigits = 3
)

// NewHistogram returns an empty histogram of microseconds.
func NewHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(histogramMin, histogramMax, histogramDigits)
}

// Record adds a latency in microseconds; one beyond the histogram's end counts as
// its end.
func Record(h *hdrhistogram.Histogram, micros int64) {
	_ = h.RecordValue(min(max(micros, histogramMin), histogramMax))
}

// NewLatency sums up a histogram of microseconds.
func NewLatency(h *hdrhistogram.Histogram) Latency {
	if h.TotalCount() == 0 {
		return Latency{}
	}
	at := func(q float64) float64 { return float64(h.ValueAtQuantile(q)) / 1000 }
	return Latency{
		Count: h.TotalCount(), Mean: h.Mean() / 1000,
		P50: at(50), P90: at(90), P95: at(95), P99: at(99), P999: at(99.9), Max: float64(h.Max()) / 1000,
	}
}

// String prints the percentiles.
func (l Latency) String() string {
	return fmt.Sprintf("p50 %.1f  p90 %.1f  p95 %.1f  p99 %.1f  p99.9 %.1f  max %.1f ms", l.P50, l.P90, l.P95, l.P99, l.P999, l.Max)
}
