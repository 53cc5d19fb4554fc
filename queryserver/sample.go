package queryserver

import (
	"math"
	"math/bits"
	"strconv"
	"time"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// sample is the part of a window that is read where reading all of it would take
// too long: from each of a number of equally long strata one slice, all slices
// equally long, each at a place in its stratum that a hash of the stratum's number
// picks. A record is in the sample or not by its time alone, so that the store can
// leave out what lies between the slices, and the same question gets the same
// answer. Figures of the whole are those of the sample divided by fraction; their
// error shows in how much the slices differ.
type sample struct {
	window
	slices   int           // 0: the whole window is read
	stratum  time.Duration // length of a stratum
	slice    time.Duration // length of a slice
	fraction float64       // slice / stratum, 1 for the whole window
}

const (
	// A sample has a slice for each granule of the store in its budget, since more
	// would read more, between bounds: enough for an estimate of the error, and
	// not more than the index should be asked for.
	fewestSlices, mostSlices = 32, 128
	granule                  = 8192
	// goldenRatio spreads the numbers of strata: Fibonacci hashing, Knuth, The Art of
	// Computer Programming, volume 3, 6.4.
	goldenRatio = 11400714819323198485
)

// Sample says which part of the records an estimate was made from.
type Sample struct {
	Fraction float64 `json:"fraction" doc:"Share of the window's time that was read. Counts are those of the sample divided by it."`
	Slices   int     `json:"slices" doc:"How many slices of equal length were read, one from each of as many equal parts of the window."`
	Rule     string  `json:"rule" doc:"The rule, in words."`
}

const sampleRule = "one slice of time from each of equally long parts of the window, at a place fixed by the part's number"

// sampleOf bounds how many of so many rows of a window are read.
func sampleOf(w window, rows, budget uint64) sample {
	s := sample{window: w, fraction: 1}
	if rows <= budget || w.Span() < mostSlices*time.Millisecond {
		return s
	}
	s.slices = int(min(max(budget/granule, fewestSlices), mostSlices))
	s.stratum = (w.Span() + time.Duration(s.slices) - 1) / time.Duration(s.slices)
	s.slice = max(time.Duration(float64(s.stratum)*float64(budget)/float64(rows)), time.Microsecond)
	s.fraction = float64(s.slice) / float64(s.stratum)
	return s
}

// label is nil where all was read.
func (s sample) label() *Sample {
	if s.slices == 0 {
		return nil
	}
	return &Sample{Fraction: s.fraction, Slices: s.slices, Rule: sampleRule}
}

// offset is where the slice of a stratum begins in it.
func (s sample) offset(i int) time.Duration {
	_, product := bits.Mul64(uint64(i), goldenRatio)
	return time.Duration((product >> 11) % uint64(s.stratum-s.slice+1))
}

// windows are the slices, or the window itself.
func (s sample) windows() []window {
	if s.slices == 0 {
		return []window{s.window}
	}
	out := make([]window, 0, s.slices)
	for i := range s.slices {
		from := s.From.Add(time.Duration(i)*s.stratum + s.offset(i))
		if from.Before(s.To) {
			out = append(out, window{from, earlier(from.Add(s.slice), s.To)})
		}
	}
	return out
}

// stratumSQL is the number of the stratum that a row is in.
func (s sample) stratumSQL(p *params) string {
	if s.slices == 0 {
		return "toUInt64(0)"
	}
	return "toUInt64(intDiv(toUnixTimestamp64Nano(ts) - " + p.number(s.From.UnixNano()) + ", " + p.number(int64(s.stratum)) + "))"
}

// where follows other conditions. The ranges are for the index alone: they would
// be compared one after the other with each row.
func (s sample) where(p *params) string {
	sql := "\n  AND ts >= " + p.nanos(s.From.UnixNano()) + " AND ts < " + p.nanos(s.To.UnixNano())
	if s.slices == 0 {
		return sql
	}
	ranges := ""
	for i, w := range s.windows() {
		if i > 0 {
			ranges += " OR "
		}
		ranges += "ts >= " + p.nanos(w.From.UnixNano()) + " AND ts < " + p.nanos(w.To.UnixNano())
	}
	place := "(toUnixTimestamp64Nano(ts) - " + p.number(s.From.UnixNano()) + ") % " + p.number(int64(s.stratum))
	offset := "toInt64(bitShiftRight(" + s.stratumSQL(p) + " * " + strconv.FormatUint(goldenRatio, 10) + ", 11) % " + p.uint(uint64(s.stratum-s.slice+1)) + ")"
	return sql + "\n  AND indexHint(" + ranges + ")" +
		"\n  AND " + place + " - " + offset + " BETWEEN 0 AND " + p.number(int64(s.slice)-1)
}

// estimated scales a figure of the sample up.
func (s sample) estimated(n uint64) uint64 {
	return uint64(math.Round(float64(n) / s.fraction))
}

// readStrata reads two arrays, strata and the counts in them.
func readStrata(r *clickhouse.Reader) map[uint64]uint64 {
	strata := make([]uint64, r.Len())
	for i := range strata {
		strata[i] = r.Uint64()
	}
	parts := make(map[uint64]uint64, len(strata))
	for i := range r.Len() {
		if n := r.Uint64(); i < len(strata) {
			parts[strata[i]] += n
		}
	}
	return parts
}

// standardError of an estimated count, from the counts in the strata. It is that
// of successive differences, which does not take a slow change of load for noise:
// Wolter, Introduction to Variance Estimation, 8.2.
func (s sample) standardError(parts map[uint64]uint64) float64 {
	if s.slices < 2 {
		return 0
	}
	var sum float64
	for i := range s.slices - 1 {
		d := float64(parts[uint64(i)]) - float64(parts[uint64(i)+1])
		sum += d * d
	}
	n := float64(s.slices)
	return math.Sqrt(n*sum/(2*(n-1))*(1-s.fraction)) / s.fraction
}
