package requestredactionprocessor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Every literal is found wherever it stands, in each of its spellings.
func TestPrefilterLiterals(t *testing.T) {
	for _, l := range literals {
		var first, last strings.Builder
		for _, accepted := range l.bytes {
			first.WriteByte(accepted[0])
			last.WriteByte(accepted[len(accepted)-1])
		}
		for _, s := range []string{first.String(), last.String()} {
			for _, text := range []string{s, "..." + s, s + "...", s[:1] + s} {
				assert.NotZero(t, filter.of(text)&l.clue, "%q", text)
			}
			assert.Zero(t, filter.of(s[:len(s)-1])&(clueCloud|clueJWT|cluePEM|clueScheme|clueURL|clueMember), "%q cut", s)
		}
	}
}

func TestPrefilterNumbers(t *testing.T) {
	for s, want := range map[string]clue{
		"123456":         0,
		"12-34-567":      clueDigits7 | clueDash,
		"123456789":      clueDigits7 | clueNumber9,
		"4111 1111 1111": clueDigits7 | clueNumber9 | clueNumber12,
		"4111a1111b1111": clueDigits7 | clueLetter,
		"４１１１１１１１１１１１１１１１": clueDigits7 | clueNumber9 | clueNumber12 | clueWide,
	} {
		assert.Equal(t, want, filter.of(s), "%q", s)
	}
}

// What the prefilter alone costs for the values of a clean request.
func BenchmarkPrefilter(b *testing.B) {
	s := ptrace.NewSpan()
	cleanRequest(s)
	var values []string
	for _, v := range s.Attributes().All() {
		if v.Type() == pcommon.ValueTypeStr {
			values = append(values, v.Str())
		}
	}
	before := cpuTime(b)
	defer func() { b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op") }()
	for b.Loop() {
		for _, v := range values {
			filter.of(v)
		}
	}
}
