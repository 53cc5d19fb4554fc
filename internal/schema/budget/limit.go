package budget

import (
	"fmt"
	"strconv"
	"strings"
)

// Limit is how much of the disk a store may take. The zero value is no limit.
type Limit struct {
	// Bytes that the database's tables may take.
	Bytes uint64
	// Percent of the disk that may be full, of whatever; 0 where Bytes is set.
	Percent float64
}

// IsZero says that there is no limit.
func (l Limit) IsZero() bool { return l.Bytes == 0 && l.Percent == 0 }

func (l Limit) String() string {
	switch {
	case l.Percent != 0:
		return strconv.FormatFloat(l.Percent, 'f', -1, 64) + "%"
	case l.Bytes != 0:
		return FormatBytes(l.Bytes)
	}
	return "none"
}

// units are the powers of 1024 in ascending order.
var units = []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}

// ParseLimit reads "80%", a number of bytes, or one with a unit such as "200GiB".
// An empty text is no limit.
func ParseLimit(text string) (Limit, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Limit{}, nil
	}
	wrong := fmt.Errorf(`disk budget: want bytes such as 200GiB, or how full the disk may be, such as 80%%; got %q`, text)
	if number, found := strings.CutSuffix(text, "%"); found {
		percent, err := strconv.ParseFloat(number, 64)
		if err != nil || !(percent > 0 && percent < 100) {
			return Limit{}, wrong
		}
		return Limit{Percent: percent}, nil
	}
	factor := 1.0
	number := text
	for i := len(units) - 1; i >= 0; i-- {
		if before, found := strings.CutSuffix(text, units[i]); found {
			number = strings.TrimSpace(before)
			for range i {
				factor *= 1024
			}
			break
		}
	}
	value, err := strconv.ParseFloat(number, 64)
	if bytes := value * factor; err == nil && bytes >= 1 && bytes < 1<<63 {
		return Limit{Bytes: uint64(bytes)}, nil
	}
	return Limit{}, wrong
}

// FormatBytes writes a size for people, three digits.
func FormatBytes(n uint64) string {
	value, unit := float64(n), 0
	for value >= 1000 && unit < len(units)-1 {
		value /= 1024
		unit++
	}
	return strconv.FormatFloat(value, 'g', 3, 64) + " " + units[unit]
}
