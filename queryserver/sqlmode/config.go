package sqlmode

import (
	"fmt"
	"strconv"
	"time"
)

// Config is the section sql of the query server's configuration. Every limit is an
// error when it is reached, never a cut answer.
type Config struct {
	// Username is of the store's user that statements run as; empty: the query
	// server's own. On a ClickHouse server it is one with row policies.
	Username string `mapstructure:"username"`
	// MaxTime bounds one statement.
	MaxTime time.Duration `mapstructure:"max_time"`
	// MaxMemory is in bytes, of the store.
	MaxMemory uint64 `mapstructure:"max_memory"`
	// MaxRowsRead and MaxBytesRead bound what a statement reads of the tables.
	MaxRowsRead  uint64 `mapstructure:"max_rows_read"`
	MaxBytesRead uint64 `mapstructure:"max_bytes_read"`
	// MaxResultRows and MaxResultBytes bound an answer in JSON.
	MaxResultRows  uint64 `mapstructure:"max_result_rows"`
	MaxResultBytes uint64 `mapstructure:"max_result_bytes"`
	// MaxStreamRows and MaxStreamBytes bound an answer in NDJSON or CSV.
	MaxStreamRows  uint64 `mapstructure:"max_stream_rows"`
	MaxStreamBytes uint64 `mapstructure:"max_stream_bytes"`
	// MaxConcurrent is how many statements of one project run at a time.
	MaxConcurrent int `mapstructure:"max_concurrent"`
}

// DefaultConfig fits the embedded engine on a machine of a few cores.
func DefaultConfig() Config {
	return Config{
		MaxTime:        30 * time.Second,
		MaxMemory:      1 << 30,
		MaxRowsRead:    1_000_000_000,
		MaxBytesRead:   100 << 30,
		MaxResultRows:  10_000,
		MaxResultBytes: 16 << 20,
		MaxStreamRows:  10_000_000,
		MaxStreamBytes: 4 << 30,
		MaxConcurrent:  4,
	}
}

// Check calls wrong for every key below sql with a value that cannot be.
func (c Config) Check(wrong func(key, format string, args ...any)) {
	if c.MaxTime < 100*time.Millisecond {
		wrong("sql.max_time", "want a duration of at least 100ms, such as 30s, got %s", c.MaxTime)
	}
	for _, limit := range []struct {
		key   string
		value uint64
	}{
		{"max_memory", c.MaxMemory}, {"max_rows_read", c.MaxRowsRead}, {"max_bytes_read", c.MaxBytesRead},
		{"max_result_rows", c.MaxResultRows}, {"max_result_bytes", c.MaxResultBytes},
		{"max_stream_rows", c.MaxStreamRows}, {"max_stream_bytes", c.MaxStreamBytes},
	} {
		if limit.value == 0 {
			wrong("sql."+limit.key, "want a number above 0")
		}
	}
	if c.MaxConcurrent < 1 {
		wrong("sql.max_concurrent", "want at least 1, got %d", c.MaxConcurrent)
	}
}

// Limits are those of one statement. A caller may lower each; 0 leaves it as it is.
type Limits struct {
	TimeMS      uint64 `json:"max_time_ms,omitempty" doc:"Milliseconds a statement may run."`
	Memory      uint64 `json:"max_memory,omitempty" doc:"Bytes of memory in the store."`
	RowsRead    uint64 `json:"max_rows_read,omitempty" doc:"Rows read of the tables."`
	BytesRead   uint64 `json:"max_bytes_read,omitempty" doc:"Bytes read of the tables, uncompressed."`
	ResultRows  uint64 `json:"max_result_rows,omitempty" doc:"Rows in the answer."`
	ResultBytes uint64 `json:"max_result_bytes,omitempty" doc:"Bytes in the answer."`
}

// limits are those of the configuration for answers in the format.
func (c Config) limits(f Format) Limits {
	l := Limits{
		TimeMS: uint64(c.MaxTime.Milliseconds()), Memory: c.MaxMemory, RowsRead: c.MaxRowsRead, BytesRead: c.MaxBytesRead,
		ResultRows: c.MaxResultRows, ResultBytes: c.MaxResultBytes,
	}
	if f != JSON {
		l.ResultRows, l.ResultBytes = c.MaxStreamRows, c.MaxStreamBytes
	}
	return l
}

// Limits gives what a statement without limits of its own has, for answers in JSON
// and for streams.
func (c Config) Limits() (answer, stream Limits) { return c.limits(JSON), c.limits(NDJSON) }

// LimitError is a limit that a caller asked for and cannot have.
type LimitError struct {
	Name        string
	Asked, Most uint64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("limits.%s: want at most %d, which is the configured limit, got %d", e.Name, e.Most, e.Asked)
}

// lower gives the limits with those that the caller lowered.
func (l Limits) lower(asked Limits) (Limits, error) {
	for _, one := range []struct {
		name  string
		limit *uint64
		asked uint64
	}{
		{"max_time_ms", &l.TimeMS, asked.TimeMS}, {"max_memory", &l.Memory, asked.Memory},
		{"max_rows_read", &l.RowsRead, asked.RowsRead}, {"max_bytes_read", &l.BytesRead, asked.BytesRead},
		{"max_result_rows", &l.ResultRows, asked.ResultRows}, {"max_result_bytes", &l.ResultBytes, asked.ResultBytes},
	} {
		if one.asked > *one.limit {
			return l, &LimitError{one.name, one.asked, *one.limit}
		}
		if one.asked > 0 {
			*one.limit = one.asked
		}
	}
	return l, nil
}

// settings of the store that stand for the limits.
func (l Limits) settings() map[string]string {
	number := func(n uint64) string { return strconv.FormatUint(n, 10) }
	return map[string]string{
		"max_memory_usage":      number(l.Memory),
		"max_rows_to_read":      number(l.RowsRead),
		"max_bytes_to_read":     number(l.BytesRead),
		"max_result_rows":       number(l.ResultRows),
		"max_result_bytes":      number(l.ResultBytes),
		"timeout_overflow_mode": "throw",
		"read_overflow_mode":    "throw",
		"result_overflow_mode":  "throw",
	}
}
