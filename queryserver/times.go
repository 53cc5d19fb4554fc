package queryserver

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// window is a half-open range of time, [From, To).
type window struct{ From, To time.Time }

// Span is the window's length.
func (w window) Span() time.Duration { return w.To.Sub(w.From) }

// WindowParams are the query parameters that bound a question in time.
type WindowParams struct {
	From string `query:"from" doc:"Start, inclusive: RFC 3339, epoch milliseconds, or relative to now such as -1h, -15m, -7d." example:"-1h"`
	To   string `query:"to" doc:"End, exclusive; same forms. Default: now." example:"now"`
}

// resolve reads the parameters; from defaults to defaultSpan before to.
func (p WindowParams) resolve(now time.Time, defaultSpan time.Duration) (window, error) {
	w := window{To: now}
	var err error
	if p.To != "" {
		if w.To, err = parseTime(p.To, now); err != nil {
			return w, badParameter("to", p.To, err)
		}
	}
	w.From = w.To.Add(-defaultSpan)
	if p.From != "" {
		if w.From, err = parseTime(p.From, now); err != nil {
			return w, badParameter("from", p.From, err)
		}
	}
	if !w.From.Before(w.To) {
		return w, badParameter("from", p.From, fmt.Errorf("%s is not before the end, %s",
			w.From.Format(time.RFC3339Nano), w.To.Format(time.RFC3339Nano)))
	}
	return w, nil
}

// The store's DateTime columns hold 1970 to 2106.
var (
	earliest = time.Unix(0, 0).UTC()
	latest   = time.Date(2105, 12, 31, 0, 0, 0, 0, time.UTC)
)

var errTimeForm = errors.New("want RFC 3339 (2026-01-31T12:00:00Z), epoch milliseconds, now, or a time relative to now such as -15m, -1h or -7d")

// parseTime reads one of the forms of time the API takes.
func parseTime(s string, now time.Time) (time.Time, error) {
	var t time.Time
	switch {
	case s == "now":
		t = now
	case strings.HasPrefix(s, "-"):
		d, err := parseAge(s[1:])
		if err != nil {
			return time.Time{}, err
		}
		t = now.Add(-d)
	default:
		ms, err := strconv.ParseInt(s, 10, 64)
		if err == nil {
			t = time.UnixMilli(ms).UTC()
			break
		}
		if t, err = time.Parse(time.RFC3339Nano, s); err != nil {
			return time.Time{}, errTimeForm
		}
	}
	if t.Before(earliest) || t.After(latest) {
		return time.Time{}, fmt.Errorf("%s lies outside %d to %d, which is what the store can hold", s, earliest.Year(), latest.Year())
	}
	return t.UTC(), nil
}

// parseAge reads a Go duration, or a number of days or weeks.
func parseAge(s string) (time.Duration, error) {
	for unit, day := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if n, found := strings.CutSuffix(s, unit); found {
			count, err := strconv.ParseUint(n, 10, 14)
			if err != nil {
				return 0, errTimeForm
			}
			return time.Duration(count) * day, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, errTimeForm
	}
	return d, nil
}

// shortest widens a stored float without inventing digits: 812.4 stays 812.4.
func shortest(f float32) float64 {
	wide, _ := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64)
	return wide
}
