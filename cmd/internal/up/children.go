package up

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// How long each child may take to stop after SIGTERM. The collector has the most
// to do: it drains its queue into the engine.
const (
	demoStopLimit      = 5 * time.Second
	queryStopLimit     = 10 * time.Second
	collectorStopLimit = 30 * time.Second
	engineStopLimit    = 30 * time.Second
)

// collectorSlice is how long the collector's turns on a processor are: the shortest
// that the kernel takes. Inserts and merges of the engine run for as long as they may,
// and an answer to a sender waits for several turns.
const collectorSlice = 100 * time.Microsecond

// History that --demo sends into an empty store, so that there is something to
// look at: a few hours of light traffic are sent within seconds.
const (
	demoBackfillHours = 3
	demoBackfillRate  = 5
)

// demoStoryFile is where, below the data directory, the demo keeps what happens
// when, so that it goes on with it when it is started again.
const demoStoryFile = "demo.json"

// demoSentence says what --demo does to the store.
func (s *stack) demoSentence() string {
	traffic := fmt.Sprintf("Demo traffic: %g requests a second on average", s.options.DemoRate)
	if s.data.fresh {
		return fmt.Sprintf("%s, after %d hours of history", traffic, demoBackfillHours)
	}
	return traffic + " from now on; the store has data, so no history is sent"
}

// children lists what to start, in order: each needs the one before it.
func (s *stack) children() []*child {
	o, a := s.options, s.options.Addresses
	engine := &child{
		name: "engine", path: s.install.self, stopLimit: engineStopLimit,
		args: []string{"engine", "--data", s.data.path, "--listen", a.Engine},
	}
	if o.Memory != "" {
		engine.args = append(engine.args, "--memory", o.Memory)
	}
	if o.Library != "" {
		engine.args = append(engine.args, "--library", o.Library)
	}
	list := []*child{
		engine,
		{
			name: "collector", path: s.install.collector, stopLimit: collectorStopLimit,
			args:  []string{"--config", "file:" + s.install.standalone},
			env:   collectorEnv(),
			slice: collectorSlice,
			probe: httpProbe("http://" + reachable(a.Health)),
		},
		{
			name: "query", path: s.install.self, stopLimit: queryStopLimit,
			args: []string{"query", "--config", s.install.query},
		},
	}
	if o.DemoRate > 0 {
		demo := &child{
			name: "demo", path: s.install.self, stopLimit: demoStopLimit, background: true,
			args: []string{"demo", "--url", "http://" + reachable(a.NDJSON), "--rate", strconv.FormatFloat(o.DemoRate, 'f', -1, 64),
				"--story", s.data.join(demoStoryFile)},
		}
		if s.data.fresh {
			demo.args = append(demo.args,
				"--backfill-hours", strconv.Itoa(demoBackfillHours), "--backfill-rate", strconv.Itoa(demoBackfillRate))
		}
		list = append(list, demo)
	}
	return list
}

// httpProbe asks url and wants 200.
func httpProbe(url string) func(context.Context) error {
	client := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answered %s", url, response.Status)
		}
		return nil
	}
}
