// Package metadatatest keeps a component's code and its metadata.yaml, the source
// of its documentation, equal.
package metadatatest

import (
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	"go.yaml.in/yaml/v3"
)

type document struct {
	Type   string `yaml:"type"`
	Status struct {
		Class     string              `yaml:"class"`
		Stability map[string][]string `yaml:"stability"`
	} `yaml:"status"`
	Telemetry struct {
		Metrics map[string]struct {
			Description string `yaml:"description"`
			Unit        string `yaml:"unit"`
		} `yaml:"metrics"`
	} `yaml:"telemetry"`
}

// Check compares metadata.yaml in the test's directory with the component: its
// type, the stability of each of its signals (for an extension, "extension"), and
// the instruments that newTelemetry creates, with their descriptions and units.
func Check(t *testing.T, typ component.Type, stability map[string]component.StabilityLevel, newTelemetry func(component.TelemetrySettings) error) {
	t.Helper()
	text, err := os.ReadFile("metadata.yaml")
	require.NoError(t, err)
	var doc document
	require.NoError(t, yaml.Unmarshal(text, &doc))

	assert.Equal(t, doc.Type, typ.String(), "type")
	documented := map[string]string{}
	for level, signals := range doc.Status.Stability {
		for _, signal := range signals {
			documented[signal] = level
		}
	}
	actual := map[string]string{}
	for signal, level := range stability {
		actual[signal] = strings.ToLower(level.String())
	}
	assert.Equal(t, documented, actual, "status::stability")

	var want []string
	for name, m := range doc.Telemetry.Metrics {
		want = append(want, fmt.Sprintf("otelcol_%s %s: %s", name, m.Unit, strings.TrimSpace(m.Description)))
	}
	meter := &recorder{}
	settings := componenttest.NewNopTelemetrySettings()
	settings.MeterProvider = provider{meter: meter}
	require.NoError(t, newTelemetry(settings))
	sort.Strings(want)
	sort.Strings(meter.instruments)
	assert.Equal(t, want, meter.instruments, "telemetry::metrics")
}

type provider struct {
	noop.MeterProvider
	meter *recorder
}

func (p provider) Meter(string, ...metric.MeterOption) metric.Meter { return p.meter }

// recorder is a meter that remembers what it was asked to create.
type recorder struct {
	noop.Meter
	instruments []string
}

// stabilityNote ends descriptions, as mdatagen has it.
var stabilityNote = regexp.MustCompile(` \[[A-Z][a-z]+\]$`)

func (r *recorder) record(name, unit, description string) {
	r.instruments = append(r.instruments, fmt.Sprintf("%s %s: %s", name, unit, stabilityNote.ReplaceAllString(description, "")))
}

func (r *recorder) Int64Counter(name string, o ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	c := metric.NewInt64CounterConfig(o...)
	r.record(name, c.Unit(), c.Description())
	return r.Meter.Int64Counter(name, o...)
}

func (r *recorder) Int64UpDownCounter(name string, o ...metric.Int64UpDownCounterOption) (metric.Int64UpDownCounter, error) {
	c := metric.NewInt64UpDownCounterConfig(o...)
	r.record(name, c.Unit(), c.Description())
	return r.Meter.Int64UpDownCounter(name, o...)
}

func (r *recorder) Int64Histogram(name string, o ...metric.Int64HistogramOption) (metric.Int64Histogram, error) {
	c := metric.NewInt64HistogramConfig(o...)
	r.record(name, c.Unit(), c.Description())
	return r.Meter.Int64Histogram(name, o...)
}

func (r *recorder) Float64Histogram(name string, o ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	c := metric.NewFloat64HistogramConfig(o...)
	r.record(name, c.Unit(), c.Description())
	return r.Meter.Float64Histogram(name, o...)
}

func (r *recorder) Int64Gauge(name string, o ...metric.Int64GaugeOption) (metric.Int64Gauge, error) {
	c := metric.NewInt64GaugeConfig(o...)
	r.record(name, c.Unit(), c.Description())
	return r.Meter.Int64Gauge(name, o...)
}

func (r *recorder) Int64ObservableCounter(name string, o ...metric.Int64ObservableCounterOption) (metric.Int64ObservableCounter, error) {
	c := metric.NewInt64ObservableCounterConfig(o...)
	r.record(name, c.Unit(), c.Description())
	return r.Meter.Int64ObservableCounter(name, o...)
}

func (r *recorder) Int64ObservableUpDownCounter(name string, o ...metric.Int64ObservableUpDownCounterOption) (metric.Int64ObservableUpDownCounter, error) {
	c := metric.NewInt64ObservableUpDownCounterConfig(o...)
	r.record(name, c.Unit(), c.Description())
	return r.Meter.Int64ObservableUpDownCounter(name, o...)
}

func (r *recorder) Int64ObservableGauge(name string, o ...metric.Int64ObservableGaugeOption) (metric.Int64ObservableGauge, error) {
	c := metric.NewInt64ObservableGaugeConfig(o...)
	r.record(name, c.Unit(), c.Description())
	return r.Meter.Int64ObservableGauge(name, o...)
}
