package clickhouserollupexporter

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/trackwayhq/trackway/internal/enginetest"
	diskbudget "github.com/trackwayhq/trackway/internal/schema/budget"
)

// TestDiskBudgetDropsOldDays has a budget that today's records alone exceed.
func TestDiskBudgetDropsOldDays(t *testing.T) {
	server := enginetest.Start(t)
	cfg := configFor(server)
	e := startExporter(t, cfg)
	e.applyBudget(context.Background(), diskbudget.Limit{Bytes: 1}) // no tables yet
	now := time.Now().UTC()
	for day := range 4 {
		require.NoError(t, e.ConsumeTraces(context.Background(), requestTraces(5, now.AddDate(0, 0, -7*day))))
	}
	require.Equal(t, [][]string{{"4"}}, query(t, server, "SELECT uniqExact(toDate(ts)) FROM trackway.requests"))
	e.applyBudget(context.Background(), diskbudget.Limit{Bytes: 1})
	assert.Equal(t, [][]string{{"1", "5"}}, query(t, server, "SELECT uniqExact(toDate(ts)), count() FROM trackway.requests"))
	assert.Equal(t, [][]string{{"3", "15"}}, query(t, server, "SELECT count(), sum(rows) FROM trackway.dropped_partitions WHERE table = 'requests'"))
	require.NoError(t, e.ConsumeTraces(context.Background(), requestTraces(1, now)), "what is stored afterwards is stored")
}

// projects is a host with an extension that knows projects.
type projects struct{ component.Host }

func (p projects) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{component.MustNewID("project_auth"): retentionOf{"default": 3}}
}

type retentionOf map[string]uint16

func (retentionOf) Start(context.Context, component.Host) error { return nil }
func (retentionOf) Shutdown(context.Context) error              { return nil }
func (r retentionOf) TTLDays(project string) (uint16, bool)     { days, ok := r[project]; return days, ok }

func TestProjectsKeepTheirRecordsAsTheySay(t *testing.T) {
	server := enginetest.Start(t)
	created, err := NewFactory().CreateTraces(context.Background(), settings(), configFor(server))
	require.NoError(t, err)
	require.NoError(t, created.Start(context.Background(), projects{componenttest.NewNopHost()}))
	t.Cleanup(func() { assert.NoError(t, created.Shutdown(context.Background())) })
	now := time.Now()
	mine, other := requestTraces(1, now), requestTraces(2, now.AddDate(0, 0, -10))
	other.ResourceSpans().At(0).Resource().Attributes().PutStr("trackway.project", "other")
	require.NoError(t, created.ConsumeTraces(context.Background(), mine))
	require.NoError(t, created.ConsumeTraces(context.Background(), other))
	require.NoError(t, created.ConsumeTraces(context.Background(), requestTraces(4, now.AddDate(0, 0, -10))), "too old for its project: dropped and counted")
	assert.Equal(t, [][]string{{"default", "3", "1"}, {"other", "30", "2"}},
		query(t, server, "SELECT project, ttl_days, count() FROM trackway.requests GROUP BY ALL ORDER BY project"))
	assert.Equal(t, [][]string{{"default", "3"}, {"other", "30"}},
		query(t, server, "SELECT DISTINCT project, ttl_days FROM trackway.journey ORDER BY project"))
}
