package convert

import (
	"math"
	"strconv"
	"strings"
)

// unitWeight is the weight of one request that stands for itself.
const unitWeight = 256

// sampling is what attributes say about how an item was sampled.
type sampling struct {
	threshold  string // sampling.threshold, which the probabilistic_sampler processor leaves on log records
	rate       string // SampleRate: one of so many
	typ, param string // sampler.type and sampler.param of Jaeger clients
}

// read takes an attribute that says how the item was sampled. It stays an
// attribute all the same.
func (s *sampling) read(key, value string) {
	switch key {
	case "sampling.threshold":
		s.threshold = value
	case "SampleRate":
		s.rate = value
	case "sampler.type":
		s.typ = value
	case "sampler.param":
		s.param = value
	}
}

// weight is how many items this one stands for, in 1/256 units: by the threshold
// of its tracestate, else by its attributes.
func (s *sampling) weight(tracestate string) uint32 {
	if w, ok := tracestateWeight(tracestate); ok {
		return w
	}
	if w, ok := thresholdWeight(s.threshold); ok {
		return w
	}
	if n, err := strconv.ParseFloat(s.rate, 64); err == nil && n >= 1 {
		return weightOf(n)
	}
	if p, err := strconv.ParseFloat(s.param, 64); err == nil && s.typ == "probabilistic" && p > 0 && p <= 1 {
		return weightOf(1 / p)
	}
	return unitWeight
}

// tracestateWeight finds the sampling threshold of a tracestate, "ot=th:c;rv:…"
// (OpenTelemetry specification, tracestate probability sampling).
func tracestateWeight(tracestate string) (w uint32, ok bool) {
	if !strings.Contains(tracestate, "th:") {
		return 0, false
	}
	for member := range strings.SplitSeq(tracestate, ",") {
		value, ok := strings.CutPrefix(strings.TrimSpace(member), "ot=")
		if !ok {
			continue
		}
		for field := range strings.SplitSeq(value, ";") {
			if th, ok := strings.CutPrefix(field, "th:"); ok {
				return thresholdWeight(th)
			}
		}
	}
	return 0, false
}

// thresholdWeight reads up to 14 hex digits of a 56-bit number of which trailing
// zeros are left out: the share of items that were dropped.
func thresholdWeight(th string) (w uint32, ok bool) {
	if th == "" || len(th) > 14 {
		return 0, false
	}
	dropped, err := strconv.ParseUint(th, 16, 64)
	if err != nil {
		return 0, false
	}
	dropped <<= 4 * (14 - len(th))
	const all = 1 << 56
	return weightOf(all / float64(all-dropped)), true
}

// weightOf gives one of n, in 1/256 units.
func weightOf(n float64) uint32 {
	return uint32(min(math.Round(unitWeight*n), math.MaxUint32))
}
