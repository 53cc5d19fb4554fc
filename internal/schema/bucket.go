package schema

import (
	"encoding/binary"
	"math"
)

// Latency buckets are logarithmic, eight to an octave: the bucket of a duration
// in milliseconds is the upper twelve bits of its float32 form, clamped to
// BucketLow…BucketHigh and stored less BucketLow, so that it fits a byte.
const (
	// BucketLow is the bucket of 0.0625 ms; everything faster is counted in it.
	BucketLow = 984
	// BucketHigh is the bucket below 2^28 ms, three days.
	BucketHigh = 1239

	bucketShift = 20
)

// Bucket gives the stored bucket number of a duration in nanoseconds.
func Bucket(duration uint64) uint8 {
	b := math.Float32bits(float32(float64(duration)/1e6)) >> bucketShift
	return uint8(min(max(b, BucketLow), BucketHigh) - BucketLow)
}

// BucketBounds gives the range [lo, hi) of a stored bucket in milliseconds.
func BucketBounds(b uint8) (lo, hi float32) {
	return math.Float32frombits((uint32(b) + BucketLow) << bucketShift),
		math.Float32frombits((uint32(b) + BucketLow + 1) << bucketShift)
}

// TraceHash is the column h of trace_index: the first four bytes of the trace
// id, little endian, as reinterpretAsUInt32 reads them.
func TraceHash(traceID [16]byte) uint32 {
	return binary.LittleEndian.Uint32(traceID[:4])
}
