package requesteventreceiver

import (
	"math"
	"time"
)

// Sizes by which the unit of an epoch is told: 1e11 s is the year 5138.
const (
	epochSeconds = 1e11
	epochMillis  = 1e14
	epochMicros  = 1e17
)

// latestTime bounds times so that the end of the longest span still fits the
// int64 nanoseconds of pdata.
var latestTime = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

// timestamp returns the time of the item and whether it was given: RFC 3339, or
// an epoch in seconds, milliseconds, microseconds or nanoseconds.
func (d *decoder) timestamp() (t time.Time, given bool, _ *lineError) {
	i := d.fields[fieldTS]
	if i == 0 {
		return d.now, false, nil
	}
	n := d.at(i)
	var ok bool
	switch {
	case n.kind == kindString:
		t, ok = parseTime(d.textOf(n))
	case n.kind.isNumber():
		t, ok = d.epoch(n)
	}
	if !ok {
		return t, true, d.want("ts", "RFC 3339 or an epoch in s, ms, µs or ns", i)
	}
	if !t.Before(latestTime) {
		return t, true, d.want("ts", "a time before the year 2200", i)
	}
	if oldest := d.now.Add(-d.limits.maxAge); t.Before(oldest) {
		return t, true, rejectLine(reasonTooOld, "ts: %s is older than %s (max_age)", t.UTC().Format(time.RFC3339), d.limits.maxAge)
	}
	return t, true, nil
}

// parseTime reads RFC 3339; by hand what nearly all senders write, in UTC.
func parseTime(s string) (time.Time, bool) {
	const layout = "2006-01-02T15:04:05"
	if t, ok := parseUTC(s, len(layout)); ok {
		return t, true
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	return t, err == nil
}

// parseUTC reads a time that ends with Z and has at most nine digits of a fraction.
func parseUTC(s string, second int) (t time.Time, ok bool) {
	last := len(s) - 1
	if last < second || last > second+len(".123456789") || s[last] != 'Z' ||
		s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return t, false
	}
	ok = true
	number := func(from, to int) (v int) {
		for i := from; i < to; i++ {
			digit := s[i] - '0'
			ok = ok && digit <= 9
			v = 10*v + int(digit)
		}
		return v
	}
	year, month, day := number(0, 4), number(5, 7), number(8, 10)
	hour, minute, sec := number(11, 13), number(14, 16), number(17, 19)
	nanos := 0
	if last > second {
		if s[second] != '.' || last == second+1 {
			return t, false
		}
		nanos = number(second+1, last)
		for i := last - second; i <= 9; i++ {
			nanos *= 10
		}
	}
	if !ok || month < 1 || month > 12 || day < 1 || day > daysOf[month] || hour > 23 || minute > 59 || sec > 59 {
		return t, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, sec, nanos, time.UTC), true
}

// daysOf gives the days that a month has in every year; the 29th of February is left
// to the library.
var daysOf = [...]int{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func (d *decoder) epoch(n *node) (time.Time, bool) {
	if n.kind == kindWhole {
		if v, ok := d.wholeOf(n); ok {
			switch {
			case v < 0:
				return time.Time{}, false
			case v < epochSeconds:
				return time.Unix(v, 0), true
			case v < epochMillis:
				return time.UnixMilli(v), true
			case v < epochMicros:
				return time.UnixMicro(v), true
			}
			return time.Unix(0, v), true
		}
	}
	f, ok := d.doubleOf(n)
	if !ok || f < 0 {
		return time.Time{}, false
	}
	unit := time.Second
	switch {
	case f >= epochMicros:
		return time.Time{}, false // a double holds no fraction of a nanosecond epoch
	case f >= epochMillis:
		unit = time.Microsecond
	case f >= epochSeconds:
		unit = time.Millisecond
	}
	whole, frac := math.Modf(f)
	perSecond := int64(time.Second / unit)
	sec, rest := int64(whole)/perSecond, int64(whole)%perSecond
	return time.Unix(sec, rest*int64(unit)+int64(math.Round(frac*float64(unit)))), true
}
