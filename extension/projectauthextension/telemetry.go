package projectauthextension

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/trackwayhq/trackway/extension/projectauthextension/internal/metadata"
)

// telemetry holds the instruments with their attributes made beforehand.
type telemetry struct {
	builder  *metadata.TelemetryBuilder
	refusals map[string][]metric.AddOption
	outcomes map[bool][]metric.AddOption
}

// reasons are the refusals' reasons, as metadata.yaml lists them.
var reasons = []string{"no_key", "malformed_key", "unknown_key", "expired_key", "archived_project", "no_table", "stale_table"}

func newTelemetry(builder *metadata.TelemetryBuilder) *telemetry {
	t := &telemetry{builder: builder, refusals: map[string][]metric.AddOption{}, outcomes: map[bool][]metric.AddOption{
		true:  attributes("outcome", "success"),
		false: attributes("outcome", "failure"),
	}}
	for _, reason := range reasons {
		t.refusals[reason] = attributes("reason", reason)
	}
	return t
}

func attributes(key, value string) []metric.AddOption {
	return []metric.AddOption{metric.WithAttributeSet(attribute.NewSet(attribute.String(key, value)))}
}

func (t *telemetry) refuse(ctx context.Context, reason string) {
	t.builder.ProjectAuthRefusedRequests.Add(ctx, 1, t.refusals[reason]...)
}

func (t *telemetry) fetched(ctx context.Context, ok bool) {
	t.builder.ProjectAuthFetches.Add(ctx, 1, t.outcomes[ok]...)
}
