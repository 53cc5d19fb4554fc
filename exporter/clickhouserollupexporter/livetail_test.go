package clickhouserollupexporter

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/trackwayhq/trackway/internal/enginetest"
	"github.com/trackwayhq/trackway/internal/record"
)

// tailHost is a collector with a live tail that somebody may be listening to.
type tailHost struct {
	component.Component
	id component.ID

	mu      sync.Mutex
	active  bool
	records []record.Record
}

func (h *tailHost) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{h.id: h}
}

func (h *tailHost) Active() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.active
}

func (h *tailHost) Publish(records []record.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.records = append(h.records, slices.Clone(records)...)
}

func (h *tailHost) published() []record.Record {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.records)
}

func TestAcceptedRecordsAreShownOnce(t *testing.T) {
	server := enginetest.Start(t, enginetest.WithArgs("--listen", freePort(t)))
	cfg := configFor(server)
	host := &tailHost{id: component.MustNewID("live_tail")}
	cfg.LiveTail = &host.id
	cfg.Retry.MaxInterval = 100 * time.Millisecond
	e, err := NewFactory().CreateTraces(context.Background(), settings(), cfg)
	require.NoError(t, err)
	require.NoError(t, e.Start(context.Background(), host))
	defer func() { require.NoError(t, e.Shutdown(context.Background())) }()

	require.NoError(t, e.ConsumeTraces(context.Background(), requestTraces(1, time.Now())))
	assert.Empty(t, host.published(), "nobody listens")

	host.mu.Lock()
	host.active = true
	host.mu.Unlock()
	server.Kill() // shown when it is accepted, though the store is away
	answer := make(chan error, 1)
	go func() { answer <- e.ConsumeTraces(context.Background(), requestTraces(2, time.Now())) }()
	require.Eventually(t, func() bool { return len(host.published()) == 4 }, 10*time.Second, time.Millisecond)
	server.Restart(t)
	require.NoError(t, <-answer)
	assert.Len(t, host.published(), 4, "not again when it is tried again")
	assert.Equal(t, [][]string{{"3"}}, query(t, server, "SELECT count() FROM trackway.requests"))
}

func TestLiveTailMustBeOne(t *testing.T) {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	id := component.MustNewID("health_check")
	cfg.LiveTail = &id
	e, err := NewFactory().CreateTraces(context.Background(), settings(), cfg)
	require.NoError(t, err)
	err = e.Start(context.Background(), otherHost{id})
	require.ErrorContains(t, err, `live_tail: extension "health_check" is not a live_tail extension`)
	require.NoError(t, e.Shutdown(context.Background()))
}

// otherHost has an extension that is no live tail.
type otherHost struct{ id component.ID }

func (h otherHost) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{h.id: nothing{}}
}

type nothing struct {
	component.StartFunc
	component.ShutdownFunc
}
