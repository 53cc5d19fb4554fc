package convert

import (
	"math"
	"strconv"
	"strings"
)

// unitWeight is the weight of one request that stands for itself.
const unitWeight = 256

// weight reads the sampling threshold of a tracestate, "ot=th:c;rv:…", and gives
// how many requests the span stands for, in 1/256 units. th is up to 14 hex
// digits of a 56-bit number of which trailing zeros are left out: the share of
// spans that were dropped (OpenTelemetry specification, tracestate probability
// sampling).
func weight(tracestate string) uint32 {
	if !strings.Contains(tracestate, "th:") {
		return unitWeight
	}
	for member := range strings.SplitSeq(tracestate, ",") {
		value, ok := strings.CutPrefix(strings.TrimSpace(member), "ot=")
		if !ok {
			continue
		}
		for field := range strings.SplitSeq(value, ";") {
			th, ok := strings.CutPrefix(field, "th:")
			if !ok || th == "" || len(th) > 14 {
				continue
			}
			dropped, err := strconv.ParseUint(th, 16, 64)
			if err != nil {
				return unitWeight
			}
			dropped <<= 4 * (14 - len(th))
			const all = 1 << 56
			w := math.Round(unitWeight * all / float64(all-dropped))
			return uint32(min(w, math.MaxUint32))
		}
	}
	return unitWeight
}
