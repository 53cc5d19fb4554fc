package pipelinecheckextension

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.uber.org/zap"
)

// pipelineCheck is the extension.
type pipelineCheck struct {
	component.StartFunc
	component.ShutdownFunc
	cfg *Config
	set extension.Settings
}

var _ extensioncapabilities.ConfigSnapshotWatcher = (*pipelineCheck)(nil)

// NotifyConfigSnapshot is called with the configuration before pipelines start.
func (p *pipelineCheck) NotifyConfigSnapshot(_ context.Context, snapshot extensioncapabilities.ConfigSnapshot) error {
	findings := check(snapshot.Effective().ToStringMap())
	if !p.cfg.Strict {
		for _, f := range findings {
			p.set.Logger.Warn("A pipeline breaks what the exporter promises", zap.String("at", f.at), zap.String("finding", f.text))
		}
		return nil
	}
	var errs []error
	for _, f := range findings {
		errs = append(errs, fmt.Errorf("%s: %s", f.at, f.text))
	}
	return errors.Join(errs...)
}
