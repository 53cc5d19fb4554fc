package projectauthextension

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
)

// projectProcessor is the type of the processor that acts on what Authenticate
// found out.
const projectProcessor = "project"

var _ extensioncapabilities.ConfigSnapshotWatcher = (*projectAuth)(nil)

// NotifyConfigSnapshot fails the start where a pipeline would take data without
// looking at its project.
func (a *projectAuth) NotifyConfigSnapshot(_ context.Context, snapshot extensioncapabilities.ConfigSnapshot) error {
	return checkPipelines(snapshot.Effective(), a.set.ID)
}

// checkPipelines wants the project processor first in every pipeline that has a
// receiver with the authenticator id. Without it any holder of a key could name
// any project, and refusals that HTTP cannot tell as such would have no effect.
func checkPipelines(conf *confmap.Conf, id component.ID) error {
	config := conf.ToStringMap()
	receivers, _ := config["receivers"].(map[string]any)
	service, _ := config["service"].(map[string]any)
	pipelines, _ := service["pipelines"].(map[string]any)
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(pipelines)) {
		pipeline, _ := pipelines[name].(map[string]any)
		for _, receiver := range names(pipeline["receivers"]) {
			if !authenticatedBy(receivers[receiver], id) {
				continue
			}
			first := "none"
			if processors := names(pipeline["processors"]); len(processors) > 0 {
				first = processors[0]
			}
			var processor component.ID
			if processor.UnmarshalText([]byte(first)) == nil && processor.Type().String() == projectProcessor {
				continue
			}
			errs = append(errs, fmt.Errorf(
				"service::pipelines::%s::processors: want %s first, got %s: receiver %s authenticates by %s, whose projects only that processor enforces",
				name, projectProcessor, first, receiver, id))
		}
	}
	return errors.Join(errs...)
}

// names is a list of strings as YAML gives it.
func names(list any) []string {
	items, _ := list.([]any)
	out := make([]string, 0, len(items))
	for _, item := range items {
		if name, ok := item.(string); ok {
			out = append(out, name)
		}
	}
	return out
}

// authenticatedBy looks for the authenticator id anywhere in a receiver's
// configuration: receivers can have several servers.
func authenticatedBy(config any, id component.ID) bool {
	switch config := config.(type) {
	case map[string]any:
		for key, value := range config {
			if name, ok := value.(string); ok && key == "authenticator" && name == id.String() {
				return true
			}
			if authenticatedBy(value, id) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(config, func(item any) bool { return authenticatedBy(item, id) })
	}
	return false
}
