package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/trackwayhq/trackway/cmd/internal/bench/report"
	"github.com/trackwayhq/trackway/cmd/internal/bench/sender"
	"github.com/trackwayhq/trackway/cmd/internal/bench/stack"
	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/pause"
)

// How often probes are sent, and how often the store is asked for one. Asking
// costs the engine, so few are sent where queries are waited for.
const (
	visibleEvery = 2 * time.Second
	visiblePoll  = 25 * time.Millisecond
	visibleLimit = time.Minute
	tailedEvery  = 50 * time.Millisecond
)

// probeRoute marks probes among the records of a tail.
const probeRoute = "/bench/probe"

// prober sends single requests beside the load and watches them arrive.
type prober struct {
	kind   probes
	url    string
	client *http.Client
	engine clickhouse.Endpoint
	subs   []*subscription
	done   chan struct{} // closed when no more are sent
	asking sync.WaitGroup

	mu       sync.Mutex
	taken    int64
	lost     int64 // nobody knows whether they were stored
	shown    *hdrhistogram.Histogram
	sentAt   map[string]time.Time
	answered map[string]time.Time
}

func newProber(ctx context.Context, kind probes, s *stack.Stack) (*prober, error) {
	p := &prober{
		kind: kind, url: "http://" + hostPort(s.URLs.NDJSON) + "/v1/ingest", engine: s.Engine,
		client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 4}},
		done:   make(chan struct{}), shown: sender.NewHistogram(),
		sentAt: map[string]time.Time{}, answered: map[string]time.Time{},
	}
	if kind != tailed {
		return p, nil
	}
	for name, url := range map[string]string{
		"collector":    s.URLs.LiveTail + "/v1/tail?project=default&filter=",
		"query server": s.URLs.UI + "/api/v1/projects/default/tail?filter=",
	} {
		sub, err := subscribe(ctx, name, url)
		if err != nil {
			p.close()
			return nil, err
		}
		p.subs = append(p.subs, sub)
	}
	return p, nil
}

// run sends probes until ctx ends.
func (p *prober) run(ctx context.Context) {
	defer close(p.done)
	every := visibleEvery
	switch p.kind {
	case none:
		return
	case tailed:
		every = tailedEvery
	case visible:
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var sending sync.WaitGroup
	defer sending.Wait()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		id := fmt.Sprintf("probe-%d", n)
		sending.Go(func() { p.probe(context.WithoutCancel(ctx), id) })
	}
}

// probe sends one request, with one correlation key, and follows it.
func (p *prober) probe(ctx context.Context, id string) {
	body := fmt.Sprintf(`{"type":"request","service":"bench","method":"GET","route":%q,"path":"%s/%s","status":200,"duration_ms":1,"correlation":{"probe":%q}}`+"\n",
		probeRoute, probeRoute, id, id)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, strings.NewReader(body))
	if err != nil {
		return // a URL that cannot be parsed has failed before
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	p.mu.Lock()
	p.sentAt[id] = time.Now()
	p.mu.Unlock()
	response, err := p.client.Do(request)
	if err != nil {
		p.count(&p.lost)
		return
	}
	_, err = io.Copy(io.Discard, response.Body)
	response.Body.Close()
	at := time.Now()
	switch {
	case err != nil || response.StatusCode >= 500:
		p.count(&p.lost)
		return
	case response.StatusCode != http.StatusOK:
		return
	}
	p.mu.Lock()
	p.taken++
	p.answered[id] = at
	p.mu.Unlock()
	if p.kind == visible {
		p.asking.Go(func() { p.ask(ctx, id, at) })
	}
}

func (p *prober) count(n *int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*n++
}

// ask asks the store until it shows a probe.
func (p *prober) ask(ctx context.Context, id string, answered time.Time) {
	ctx, cancel := context.WithTimeout(ctx, visibleLimit)
	defer cancel()
	query := fmt.Sprintf("SELECT toInt64(count()) AS n FROM trackway.journey WHERE project = 'default' AND key = 'probe' AND value = '%s'", id)
	for {
		rows, err := clickhouse.Ask[struct{ N int64 }](ctx, p.engine, query)
		if err == nil && len(rows) == 1 && rows[0].N > 0 {
			p.mu.Lock()
			defer p.mu.Unlock()
			sender.Record(p.shown, time.Since(answered).Microseconds())
			return
		}
		if pause.For(ctx, visiblePoll) != nil {
			return
		}
	}
}

// wait returns when all probes are answered.
func (p *prober) wait() { <-p.done }

// finish waits for what was sent to be seen.
func (p *prober) finish() {
	p.asking.Wait()
	for _, sub := range p.subs {
		sub.stop()
	}
}

func (p *prober) close() {
	for _, sub := range p.subs {
		sub.stop()
	}
	p.client.CloseIdleConnections()
}

func (p *prober) accepted() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}

func (p *prober) unknown() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost
}

// visible is how long queries took to show what was answered.
func (p *prober) visible() *sender.Latency {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown.TotalCount() == 0 {
		return nil
	}
	l := sender.NewLatency(p.shown)
	return &l
}

// tails is how long subscribers took to show it.
func (p *prober) tails() []report.Tail {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []report.Tail
	for _, sub := range p.subs {
		fromAnswer, fromSending := sender.NewHistogram(), sender.NewHistogram()
		tail := report.Tail{Subscriber: sub.name}
		for id, answered := range p.answered {
			seen, found := sub.seen[id]
			if !found {
				tail.Missing++
				continue
			}
			sender.Record(fromAnswer, seen.Sub(answered).Microseconds())
			sender.Record(fromSending, seen.Sub(p.sentAt[id]).Microseconds())
		}
		tail.Answered, tail.SentAt = sender.NewLatency(fromAnswer), sender.NewLatency(fromSending)
		all = append(all, tail)
	}
	return all
}

// probeID reads the id of a probe of a record of the live tail.
func probeID(data []byte) (string, error) {
	var record struct {
		Path string `json:"path"`
	}
	if err := json.Unmarshal(data, &record); err != nil {
		return "", fmt.Errorf("record of the live tail: %w", err)
	}
	return strings.TrimPrefix(record.Path, probeRoute+"/"), nil
}
