package queryserver

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestShippedConfiguration(t *testing.T) {
	t.Setenv("TRACKWAY_QUERY_LISTEN", "127.0.0.1:0")
	t.Setenv("TRACKWAY_CLICKHOUSE_PASSWORD", "12345") // YAML would make it a number
	t.Setenv("TRACKWAY_LIVE_TAIL_ENDPOINT", "127.0.0.1:9")
	cfg, err := LoadConfig(t.Context(), "../config/query.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Listen != "127.0.0.1:0" || string(cfg.ClickHouse.Password) != "12345" || cfg.ClickHouse.Timeout != 30*time.Second {
		t.Errorf("got %+v", cfg)
	}
	if len(cfg.LiveTail.Endpoints) != 1 || cfg.LiveTail.Endpoints[0] != "http://127.0.0.1:9" {
		t.Errorf("live_tail.endpoints: got %q", cfg.LiveTail.Endpoints)
	}
	if s := fmt.Sprintf("%+v %#v", cfg, cfg); strings.Contains(s, "12345") {
		t.Error("the password prints itself")
	}
}

func TestConfigurationErrorsNameTheKey(t *testing.T) {
	for file, keys := range map[string][]string{
		"unknown_key": {"clickhouse", "endpont"},
		"bad_type":    {"clickhouse.timeout"},
		"bad_values": {
			"listen: ", "projects[0]: ", "retention: ", "clickhouse.endpoint: ", "clickhouse.database: ",
			"clickhouse.timeout: ", "live_tail.endpoints[0]: ", "metadata.dsn: ", "metadata.poll_interval: ", "secrets.internal_token: ",
			"secrets.correlation_hash.secret: ", "secrets.correlation_hash.keys[1]: ",
			"sql.password: ", "sql.max_time: ", "sql.max_memory: ", "sql.max_concurrent: ",
		},
		"missing_file": {"missing_file.yaml"},
	} {
		_, err := LoadConfig(t.Context(), "testdata/config/"+file+".yaml")
		if err == nil {
			t.Errorf("%s was taken", file)
			continue
		}
		for _, key := range keys {
			if !strings.Contains(err.Error(), key) {
				t.Errorf("%s: the error does not name %q: %v", file, key, err)
			}
		}
	}
}

func TestTimes(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]time.Time{
		"now":                       now,
		"-1h":                       now.Add(-time.Hour),
		"-1h30m":                    now.Add(-90 * time.Minute),
		"-7d":                       now.Add(-7 * 24 * time.Hour),
		"-2w":                       now.Add(-14 * 24 * time.Hour),
		"1796040000123":             time.UnixMilli(1796040000123).UTC(),
		"2026-11-30T13:00:00+02:00": now.Add(-time.Hour),
	} {
		got, err := parseTime(in, now)
		if err != nil || !got.Equal(want) {
			t.Errorf("%s: got %s, %v, want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "yesterday", "--1h", "-1x", "-d", "-99999999d", "12h", "1e3", "-", "9223372036854775807", "1800-01-01T00:00:00Z", "2300-01-01T00:00:00Z"} {
		if got, err := parseTime(in, now); err == nil {
			t.Errorf("%q was taken as %s", in, got)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"now", "-1h", "-7d", "1796040000123", "2026-11-30T13:00:00Z", "-9223372036854775808ns"} {
		f.Add(s)
	}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		if got, err := parseTime(s, now); err == nil && (got.Before(earliest) || got.After(latest)) {
			t.Errorf("%q gives %s", s, got)
		}
	})
}
