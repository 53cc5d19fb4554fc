package workload

import (
	"fmt"
	"strconv"
	"strings"
)

// Mix is the share of each kind of item. The zero value is requests only.
type Mix struct{ Requests, Spans, Events int }

// ParseMix reads requests:spans:events, such as 1:4:1.
func ParseMix(s string) (Mix, error) {
	if s == "" {
		return Mix{Requests: 1}, nil
	}
	parts := strings.Split(s, ":")
	var numbers [3]int
	if len(parts) != len(numbers) {
		return Mix{}, fmt.Errorf("want requests:spans:events such as 1:4:1, got %q", s)
	}
	total := 0
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return Mix{}, fmt.Errorf("want requests:spans:events such as 1:4:1, got %q", s)
		}
		numbers[i] = n
		total += n
	}
	if total == 0 {
		return Mix{}, fmt.Errorf("a mix of nothing: want requests:spans:events such as 1:4:1, got %q", s)
	}
	return Mix{numbers[0], numbers[1], numbers[2]}, nil
}

// String is the form ParseMix reads.
func (m Mix) String() string { return fmt.Sprintf("%d:%d:%d", m.Requests, m.Spans, m.Events) }

// MarshalText and UnmarshalText let specifications carry a mix as its string.
func (m Mix) MarshalText() ([]byte, error) { return []byte(m.normal().String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (m *Mix) UnmarshalText(text []byte) error {
	parsed, err := ParseMix(string(text))
	if err == nil {
		*m = parsed
	}
	return err
}

// normal is the mix with requests for nothing.
func (m Mix) normal() Mix {
	if m == (Mix{}) {
		m.Requests = 1
	}
	return m
}

func (m Mix) total() int { return m.Requests + m.Spans + m.Events }
