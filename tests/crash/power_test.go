package crash_test

import (
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// start starts an engine whose data is on the disk.
func (m *machine) start(t *testing.T) *engine {
	t.Helper()
	return startEngine(t, filepath.Join(m.mount, "data"), "127.0.0.1:0")
}

// cutPower ends the engine and has the disk forget what was not synced; with random
// it may keep any part of it.
func (m *machine) cutPower(t *testing.T, e *engine, random *rand.Rand) {
	t.Helper()
	e.kill(t)
	m.forget(t, random)
}

// The power fails right after a unit was stored, before whoever sent it has noted
// that: the unit is sent again.
func TestPowerCutAfterAnInsert(t *testing.T) {
	const units = 3
	start := today()
	m := newMachine(t)
	e := m.start(t)
	e.createSchema(t)
	for number := uint64(1); number <= units; number++ {
		require.NoError(t, e.insertUnit(t.Context(), number, start))
		random := rand.New(rand.NewPCG(number, 0))
		if number%2 == 0 {
			random = nil
		}
		m.cutPower(t, e, random)
		e = m.start(t)
		e.verifyUnits(t, number)
		require.NoError(t, e.insertUnit(t.Context(), number, start), "the same unit again")
		e.verifyUnits(t, number)
	}
	e.Stop(t)
}

// Parts were merged, and those that they were made of have been removed: by the
// engine that merged, or by one that was started after that was killed.
func TestPowerCutAfterAMerge(t *testing.T) {
	for _, tt := range []struct {
		name     string
		killed   bool
		lifetime int // of the sources, in seconds
	}{
		{"removed", false, int(sourceLifetime.Seconds())},
		{"removed after a restart", true, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const units = 4
			start := today()
			m := newMachine(t)
			e := m.start(t)
			e.createSchema(t)
			for number := uint64(1); number <= units; number++ {
				require.NoError(t, e.insertUnit(t.Context(), number, start))
			}
			if tt.killed {
				e.mergeAll(t, 3600)
				e.kill(t)
				e = m.start(t)
				e.setLifetime(t, tt.lifetime)
			} else {
				e.mergeAll(t, tt.lifetime)
			}
			require.Eventually(t, func() bool {
				return e.ask(t, "SELECT count() FROM system.parts WHERE database = 'trackway' AND NOT active") == "0"
			}, 2*time.Minute, 100*time.Millisecond, "what was merged is removed")
			// Something is synced, and with it that names are gone.
			require.NoError(t, e.insertUnit(t.Context(), units+1, start))
			m.cutPower(t, e, nil)

			e = m.start(t)
			e.verifyUnits(t, units+1)
			require.Empty(t, e.ask(t, "SELECT table, name, reason FROM system.detached_parts"))
			e.Stop(t)
		})
	}
}

// setLifetime sets how long parts stay that were merged into another.
func (s store) setLifetime(t *testing.T, seconds int) {
	t.Helper()
	for table := range strings.SplitSeq(s.tables(t), "\n") {
		s.ask(t, "ALTER TABLE trackway."+table+" MODIFY SETTING old_parts_lifetime = "+itoa(seconds)+", cleanup_delay_period = 0, cleanup_delay_period_random_add = 0, max_cleanup_delay_period = 1")
	}
}

func (s store) mergeAll(t *testing.T, lifetime int) {
	t.Helper()
	s.setLifetime(t, lifetime)
	for table := range strings.SplitSeq(s.tables(t), "\n") {
		_, err := s.post(t.Context(), "OPTIMIZE TABLE trackway."+table+" FINAL", nil, http.NoBody)
		require.NoError(t, err)
	}
}
