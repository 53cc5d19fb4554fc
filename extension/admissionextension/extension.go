package admissionextension

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"

	"github.com/trackwayhq/trackway/extension/admissionextension/internal/metadata"
	"github.com/trackwayhq/trackway/internal/admission"
)

// admissionExtension is the extension.
type admissionExtension struct {
	cfg       *Config
	set       extension.Settings
	telemetry *telemetry

	budget         budget
	projects       projects
	calls          budget // gRPC calls that wait for the budget
	metered        metered
	errBusy        *admission.Refusal
	errManyCalls   *admission.Refusal
	errMaxProjects *admission.Refusal
	authenticator  extensionauth.Server // nil unless configured

	stop    chan struct{} // nil before the start
	keeping sync.WaitGroup
}

var _ extensioncapabilities.Dependent = (*admissionExtension)(nil)

func newExtension(set extension.Settings, cfg *Config) (*admissionExtension, error) {
	builder, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	full := admission.TooMany("max_projects", fmt.Sprintf("there are %d projects with limits already (max_projects)", cfg.MaxProjects), time.Minute)
	full.Limit, full.Max = "max_projects", int64(cfg.MaxProjects)
	return &admissionExtension{
		cfg: cfg, set: set, telemetry: newTelemetry(builder),
		budget:         budget{max: cfg.MaxInProgressBytes},
		projects:       projects{burst: cfg.Burst.Seconds(), max: cfg.MaxProjects, byID: map[string]*project{}},
		calls:          budget{max: int64(cfg.MaxWaitingCalls)},
		errBusy:        busyRefusal("max_in_progress_bytes", "bytes of requests in progress", cfg.MaxInProgressBytes),
		errManyCalls:   busyRefusal("max_waiting_calls", "calls waiting to be received", int64(cfg.MaxWaitingCalls)),
		errMaxProjects: full,
	}, nil
}

// Dependencies makes the authenticator start first.
func (a *admissionExtension) Dependencies() []component.ID {
	if a.cfg.Authenticator == nil {
		return nil
	}
	return []component.ID{*a.cfg.Authenticator}
}

// Start finds the authenticator and what projects have sent earlier today.
func (a *admissionExtension) Start(_ context.Context, host component.Host) error {
	if id := a.cfg.Authenticator; id != nil {
		found, ok := host.GetExtensions()[*id]
		if !ok {
			return fmt.Errorf("authenticator: extension %s is not there: add it to service::extensions", id)
		}
		if a.authenticator, ok = found.(extensionauth.Server); !ok {
			return fmt.Errorf("authenticator: extension %s does not authenticate senders", id)
		}
	}
	if a.cfg.UsageFile != "" {
		if err := a.projects.load(a.cfg.UsageFile, time.Now()); err != nil {
			return fmt.Errorf("usage_file: %w", err)
		}
	}
	if err := a.telemetry.builder.Observe(func() metadata.Observation {
		return metadata.Observation{InProgressBytes: a.budget.inUse(), Projects: int64(a.projects.len())}
	}); err != nil {
		return err
	}
	a.stop = make(chan struct{})
	a.keeping.Go(func() { a.keepUsage(a.stop) })
	return nil
}

// Shutdown writes down what projects have sent today.
func (a *admissionExtension) Shutdown(context.Context) error {
	if a.stop == nil {
		return nil
	}
	close(a.stop)
	a.keeping.Wait()
	a.stop = nil
	return a.telemetry.builder.Shutdown()
}
