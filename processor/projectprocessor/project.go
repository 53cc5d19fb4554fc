package projectprocessor

import (
	"context"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/trackwayhq/trackway/internal/admission"
	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/ledger"
	"github.com/trackwayhq/trackway/processor/projectprocessor/internal/metadata"
)

// reason is the attribute of the refused items' counter.
const reason = "reason"

type project struct {
	cfg       *Config
	telemetry *metadata.TelemetryBuilder
	ledger    ledger.Ledger // nil without one
}

func newProject(set processor.Settings, cfg *Config) (*project, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return &project{cfg: cfg, telemetry: telemetry}, nil
}

// resolve gives the project of the data in hand. Its errors carry a gRPC status,
// which receivers translate into a final answer (401, 403): sending the same
// data again would not help.
func (p *project) resolve(ctx context.Context, items int) (string, error) {
	if auth := client.FromContext(ctx).Auth; auth != nil {
		switch id := auth.GetAttribute(p.cfg.AuthAttribute).(type) {
		case nil:
		case string:
			if conventions.ValidProject(id) {
				return id, nil
			}
			return "", p.refuse(ctx, items, "invalid_project", codes.PermissionDenied,
				"the authenticator named project %q: want 1 to 40 characters of a-z, 0-9 and -", id)
		case error:
			// project_auth cannot tell an HTTP server more than that a request is
			// refused, so it leaves the reason, a gRPC status, in the project's place.
			p.count(ctx, items, "auth_refused")
			return "", id
		default:
			return "", p.refuse(ctx, items, "invalid_project", codes.PermissionDenied,
				"attribute %s of the authentication context: want a string, got %T", p.cfg.AuthAttribute, id)
		}
	}
	if p.cfg.DefaultProject != "" {
		return p.cfg.DefaultProject, nil
	}
	return "", p.refuse(ctx, items, "no_project", codes.Unauthenticated,
		"no project: the sender's authentication names none in %s and the project processor has no default_project", p.cfg.AuthAttribute)
}

func (p *project) refuse(ctx context.Context, items int, why string, code codes.Code, format string, args ...any) error {
	p.count(ctx, items, why)
	return status.Errorf(code, format, args...)
}

func (p *project) count(ctx context.Context, items int, why string) {
	p.telemetry.ProcessorProjectRefusedItems.Add(ctx, int64(items),
		metric.WithAttributeSet(attribute.NewSet(attribute.String(reason, why))))
}

func (p *project) traces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	items := td.SpanCount()
	id, err := p.resolve(ctx, items)
	if err != nil {
		return td, err
	}
	admission.ChargeItems(ctx, items)
	for _, rs := range td.ResourceSpans().All() {
		overwrite(rs.Resource(), id)
	}
	return td, nil
}

func (p *project) logs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	items := ld.LogRecordCount()
	id, err := p.resolve(ctx, items)
	if err != nil {
		return ld, err
	}
	admission.ChargeItems(ctx, items)
	for _, rl := range ld.ResourceLogs().All() {
		overwrite(rl.Resource(), id)
	}
	return ld, nil
}

func (p *project) metrics(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	items := md.DataPointCount()
	id, err := p.resolve(ctx, items)
	if err != nil {
		return md, err
	}
	admission.ChargeItems(ctx, items)
	for _, rm := range md.ResourceMetrics().All() {
		overwrite(rm.Resource(), id)
	}
	return md, nil
}

// overwrite leaves exactly one attribute of the name: data decoded from the wire
// may repeat a key, and a reader could take either.
func overwrite(r pcommon.Resource, id string) {
	r.Attributes().RemoveIf(func(k string, _ pcommon.Value) bool { return k == conventions.Project })
	r.Attributes().PutStr(conventions.Project, id)
}
