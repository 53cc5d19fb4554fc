package projectauthextension

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/trackwayhq/trackway/extension/projectauthextension/internal/metadata"
)

func TestPipelinesNeedTheProjectProcessor(t *testing.T) {
	receivers := map[string]any{
		"otlp": map[string]any{"protocols": map[string]any{
			"grpc": map[string]any{"endpoint": "127.0.0.1:0"},
			"http": map[string]any{"auth": map[string]any{"authenticator": "project_auth"}},
		}},
		"zipkin": nil,
	}
	pipelines := func(receiver string, processors ...any) *confmap.Conf {
		return confmap.NewFromStringMap(map[string]any{
			"receivers": receivers,
			"service": map[string]any{"pipelines": map[string]any{
				"traces": map[string]any{"receivers": []any{receiver}, "processors": processors},
			}},
		})
	}
	id := component.NewID(metadata.Type)
	for name, conf := range map[string]*confmap.Conf{
		"project first":                  pipelines("otlp", "project", "batch"),
		"a named project first":          pipelines("otlp", "project/strict"),
		"a receiver without it":          pipelines("zipkin", "batch"),
		"a configuration without either": confmap.New(),
	} {
		t.Run(name, func(t *testing.T) { assert.NoError(t, checkPipelines(conf, id)) })
	}
	for name, tt := range map[string]struct {
		conf *confmap.Conf
		got  string
	}{
		"no processors":      {pipelines("otlp"), "none"},
		"batch before":       {pipelines("otlp", "batch", "project"), "batch"},
		"another's name":     {pipelines("otlp", "projects"), "projects"},
		"only in the second": {pipelines("otlp", "memory_limiter", "project"), "memory_limiter"},
	} {
		t.Run(name, func(t *testing.T) {
			require.EqualError(t, checkPipelines(tt.conf, id),
				"service::pipelines::traces::processors: want project first, got "+tt.got+
					": receiver otlp authenticates by project_auth, whose projects only that processor enforces")
		})
	}
	assert.NoError(t, checkPipelines(pipelines("otlp"), component.NewIDWithName(metadata.Type, "other")), "another authenticator's receiver")
}
