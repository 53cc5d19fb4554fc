package reference

import (
	"fmt"
	"math"
	"time"
)

// Generator is the version of what is made: a set of another one is not gone on
// with.
const Generator = 1

// Projects of a set.
const (
	Main   = "default"    // nearly everything
	Sparse = "sparse"     // few requests, over SparseDays days
	Others = 1000         // small projects, see OtherProject
	others = "small-%04d" // their names
)

// SparseDays is over how many days, and so partitions, the requests of Sparse lie.
const SparseDays = 90

// otherEvery requests, one is a small project's.
const otherEvery = 50

// OtherProject is the id of small project n, below Others.
func OtherProject(n int) string { return fmt.Sprintf(others, n) }

// Limits of Spec.Rows. Below the least, rare records would lie on top of each
// other; above the most, times of neighbours would be the same nanosecond.
const (
	MinRows = 20_000
	MaxRows = 10_000_000_000
)

// Spec says which set.
type Spec struct {
	Seed uint64    `json:"seed"`
	Rows int64     `json:"rows"` // requests of Main and the small projects
	Days int       `json:"days"` // they lie in
	End  time.Time `json:"end"`  // of the last day, midnight UTC
}

// DefaultDays is how many days a set has.
const DefaultDays = 15

// Validate says what is out of range.
func (s Spec) Validate() error {
	switch {
	case s.Rows < MinRows || s.Rows > MaxRows:
		return fmt.Errorf("rows: want %d to %d, got %d", MinRows, int64(MaxRows), s.Rows)
	case s.Days < 1 || s.Days > SparseDays:
		return fmt.Errorf("days: want 1 to %d, got %d", SparseDays, s.Days)
	case !s.End.Equal(s.End.Truncate(24 * time.Hour)):
		return fmt.Errorf("end: want midnight UTC, got %s", s.End)
	}
	return nil
}

// Start is the beginning of the first day.
func (s Spec) Start() time.Time { return s.End.AddDate(0, 0, -s.Days) }

// SparseStart is the beginning of the first day of Sparse.
func (s Spec) SparseStart() time.Time { return s.End.AddDate(0, 0, -SparseDays) }

// SparseRows is how many requests Sparse has.
func (s Spec) SparseRows() int64 { return max(s.Rows/1000, 10*SparseDays) }

// BigTraceSpans is how many spans the one big trace has.
func (s Spec) BigTraceSpans() int64 { return min(100_000, s.Rows/20) }

// OtherRows is how many requests small project n has.
func (s Spec) OtherRows(n int) int64 {
	all := s.Rows / otherEvery // those at otherEvery-1, 2·otherEvery-1, …
	rows := all / Others
	if int64(n) < all%Others {
		rows++
	}
	return rows
}

// busy is by how much the rate of requests rises and falls with the time of day.
const busy = 0.6

// timeOf gives the time of request i of rows over so many days: one after the
// other, few at night. u in [0, 1) is its place in its slot.
func timeOf(start time.Time, i, rows int64, days int, u float64) time.Time {
	perDay := (rows + int64(days) - 1) / int64(days)
	day, within := i/perDay, i%perDay
	f := (float64(within) + u) / float64(perDay)
	f += busy * math.Sin(2*math.Pi*f) / (2 * math.Pi)
	const nanoseconds = float64(24 * time.Hour)
	at := min(max(int64(f*nanoseconds), 0), int64(24*time.Hour)-1)
	return start.AddDate(0, 0, int(day)).Add(time.Duration(at))
}
