package projectprocessor

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/trackwayhq/trackway/internal/ledger"
	"github.com/trackwayhq/trackway/processor/projectprocessor/internal/metadata"
)

// book is a ledger that remembers what it was told.
type book struct {
	ledger.Ledger
	component.StartFunc
	component.ShutdownFunc
	received map[string]int
	settled  []error
}

type bookKey struct{}

func (b *book) Receive(ctx context.Context, project string, items int) (context.Context, func(error)) {
	b.received[project] += items
	return context.WithValue(ctx, bookKey{}, true), func(err error) { b.settled = append(b.settled, err) }
}

// notALedger is another kind of extension.
type notALedger struct {
	component.StartFunc
	component.ShutdownFunc
}

type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

func TestItemsAreCountedIntoTheLedger(t *testing.T) {
	id := component.MustNewID("ledger")
	cfg := createDefaultConfig().(*Config)
	cfg.DefaultProject, cfg.Ledger = "shop", &id
	b := &book{received: map[string]int{}}
	set := processortest.NewNopSettings(metadata.Type)

	var traces consumertest.TracesSink
	tp, err := NewFactory().CreateTraces(t.Context(), set, cfg, &traces)
	require.NoError(t, err)
	require.NoError(t, tp.Start(t.Context(), host{id: b}))
	td := ptrace.NewTraces()
	td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	require.NoError(t, tp.ConsumeTraces(t.Context(), td))
	assert.Equal(t, true, traces.Contexts()[0].Value(bookKey{}), "the ledger's context goes on")

	failure := errors.New("full")
	lp, err := NewFactory().CreateLogs(t.Context(), set, cfg, consumertest.NewErr(failure))
	require.NoError(t, err)
	require.NoError(t, lp.Start(t.Context(), host{id: b}))
	ld := plog.NewLogs()
	require.Error(t, lp.ConsumeLogs(t.Context(), ld), "nothing to count in it")
	ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	require.ErrorIs(t, lp.ConsumeLogs(t.Context(), ld), failure)

	assert.Equal(t, map[string]int{"shop": 3}, b.received)
	assert.Equal(t, []error{nil, failure}, b.settled)
}

func TestLedgerMustBeOne(t *testing.T) {
	id := component.MustNewID("ledger")
	cfg := createDefaultConfig().(*Config)
	cfg.Ledger = &id
	tp, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.EqualError(t, tp.Start(t.Context(), host{}), "ledger: extension ledger is not there: add it to service::extensions")
	require.EqualError(t, tp.Start(t.Context(), host{id: notALedger{}}), "ledger: extension ledger is no ledger")
}
