package admissionextension

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/trackwayhq/trackway/extension/admissionextension/internal/metadata"
)

// telemetry holds the instruments with their attributes made beforehand.
type telemetry struct {
	builder  *metadata.TelemetryBuilder
	refusals map[string][]metric.AddOption
}

// reasons are the refusals' reasons, as metadata.yaml lists them.
var reasons = []string{
	"max_request_bytes", "max_decoded_bytes", "max_in_progress_bytes", "max_waiting_calls", "receive_timeout", "encoding", "structure", "max_projects",
	"items_per_second", "bytes_per_second", "items_per_day", "bytes_per_day",
}

// otherReason is the authenticator's refusals, which count their reasons there.
const otherReason = "authenticator"

func newTelemetry(builder *metadata.TelemetryBuilder) *telemetry {
	t := &telemetry{builder: builder, refusals: map[string][]metric.AddOption{}}
	for _, reason := range append(reasons, otherReason) {
		t.refusals[reason] = []metric.AddOption{metric.WithAttributeSet(attribute.NewSet(attribute.String("reason", reason)))}
	}
	return t
}

func (t *telemetry) refuse(ctx context.Context, reason string) {
	options, ok := t.refusals[reason]
	if !ok {
		options = t.refusals[otherReason]
	}
	t.builder.AdmissionRefusedRequests.Add(ctx, 1, options...)
}
