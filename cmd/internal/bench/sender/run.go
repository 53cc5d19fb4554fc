package sender

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
	"github.com/trackwayhq/trackway/internal/pause"
)

// failurePause keeps a connection from spinning while nothing listens.
const failurePause = 100 * time.Millisecond

// Main is the sender process: it reads a Spec, prepares, says so, waits for a
// line, sends, and says what it measured.
func Main(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	text, err := lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("specification on stdin: want one line of JSON: %w", err)
	}
	var spec Spec
	if err := json.Unmarshal(text, &spec); err != nil {
		return fmt.Errorf("specification on stdin: %w", err)
	}
	encoder := json.NewEncoder(out)
	var mu sync.Mutex
	say := func(m Message) error {
		mu.Lock()
		defer mu.Unlock()
		return encoder.Encode(m)
	}
	s, err := prepare(spec)
	if err != nil {
		return err
	}
	if err := say(Message{Ready: &s.ready}); err != nil {
		return err
	}
	if _, err := lines.ReadBytes('\n'); err != nil {
		return fmt.Errorf("start on stdin: %w", err)
	}
	result, err := s.run(ctx, say)
	if err != nil {
		return err
	}
	if err := say(Message{Result: result}); err != nil {
		return err
	}
	// What this process used is read while it is still there.
	_, err = lines.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// run is a prepared run.
type run struct {
	spec   Spec
	host   string
	ready  Ready
	bodies [][]*workload.Body // by connection

	batch    atomic.Uint64
	schedule *schedule // nil in a closed loop
	end      time.Time
	record   *recorder
}

func prepare(spec Spec) (*run, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	u, err := url.Parse(spec.URL)
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	if spec.Workload.Bodies == 0 {
		spec.Workload.Bodies = spec.bodies()
	}
	bodies, err := workload.Prepare(spec.Workload)
	if err != nil {
		return nil, err
	}
	if len(bodies) < spec.Connections {
		return nil, fmt.Errorf("bodies: want one for each of %d connections at least, got %d", spec.Connections, len(bodies))
	}
	s := &run{spec: spec, host: u.Host, ready: Ready{Bodies: len(bodies)}, bodies: make([][]*workload.Body, spec.Connections)}
	bytes := 0
	// Neighbours stay together: they hold the mix between them.
	each := max(1, len(bodies)/spec.Connections)
	for i, b := range bodies {
		c := i / each % spec.Connections
		s.bodies[c] = append(s.bodies[c], b)
		bytes += len(b.Content)
	}
	s.ready.BytesPerItem = float64(bytes) / float64(len(bodies)*spec.Workload.Batch)
	s.batch.Store(spec.FirstBatch)
	return s, nil
}

func (s *run) run(ctx context.Context, say func(Message) error) (*Result, error) {
	start := time.Now()
	s.record = newRecorder(start, s.spec.Warmup.Duration())
	s.end = start.Add((s.spec.Warmup + s.spec.Duration).Duration())
	if s.spec.Rate > 0 {
		s.schedule = newSchedule(&s.spec, start)
	}
	var connections, reporter sync.WaitGroup
	for i := range s.spec.Connections {
		connections.Go(func() { s.work(ctx, i) })
	}
	done := make(chan struct{})
	var reporting error
	reporter.Go(func() { reporting = s.report(done, say) })
	connections.Wait()
	close(done)
	reporter.Wait()
	if err := errors.Join(reporting, say(Message{Sent: true})); err != nil {
		return nil, err
	}
	elapsed := time.Since(s.record.measuring)
	if s.schedule != nil {
		s.record.unsent(s.schedule.left())
		// The last body is due an interval before the end.
		elapsed = max(elapsed, s.spec.Duration.Duration())
	}
	return s.record.result(elapsed), ctx.Err()
}

// report says how each second went until done is closed.
func (s *run) report(done <-chan struct{}, say func(Message) error) error {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	warm := time.NewTimer(time.Until(s.record.measuring))
	defer warm.Stop()
	for {
		var err error
		select {
		case <-warm.C:
			err = say(Message{Measuring: true})
		case now := <-second.C:
			err = say(Message{Interval: s.record.endInterval(now)})
		case <-done:
			return say(Message{Interval: s.record.endInterval(time.Now())})
		}
		if err != nil {
			return err
		}
	}
}

// work is one connection: one body after the other until the run is over.
func (s *run) work(ctx context.Context, index int) {
	c := &conn{host: s.host}
	defer c.close()
	own := s.bodies[index]
	for turn := 0; ; turn++ {
		due, more := s.nextDue(ctx)
		if !more {
			return
		}
		x := exchange{body: own[turn%len(own)], due: due}
		seq := s.batch.Add(1)
		if s.spec.MaxBatches > 0 && seq-s.spec.FirstBatch > s.spec.MaxBatches {
			return
		}
		x.body.Stamp(seq, time.Now())
		key := ""
		if len(s.spec.Keys) > 0 {
			key = s.spec.Keys[seq%uint64(len(s.spec.Keys))]
		}
		x.sent = time.Now()
		if x.due.IsZero() {
			x.due = x.sent
		}
		answer, err := c.post(ctx, x.body, key)
		x.answered = time.Now()
		if ctx.Err() != nil {
			return
		}
		wait := x.judge(answer, err)
		s.record.add(&x)
		// A wait past the end of the run would only make it longer.
		if pause.For(ctx, min(wait, time.Until(s.end))) != nil {
			return
		}
	}
}

// nextDue waits for the time of the next body. In a closed loop that is now, and
// the zero time is returned.
func (s *run) nextDue(ctx context.Context) (due time.Time, more bool) {
	// What is still due at the end is reported as unsent: a run that falls behind
	// must not go on for ever.
	if !time.Now().Before(s.end) || ctx.Err() != nil {
		return time.Time{}, false
	}
	if s.schedule == nil {
		return time.Time{}, true
	}
	if due, more = s.schedule.next(); !more {
		return due, false
	}
	return due, pause.For(ctx, time.Until(due)) == nil
}

// judge sorts an answer and says how long to wait before the next body.
func (x *exchange) judge(answer reply, err error) time.Duration {
	x.status, x.retryAfter = answer.status, answer.retryAfter
	switch {
	case err != nil:
		x.outcome, x.err, x.status = failed, err, 0
		return failurePause
	case answer.status == http.StatusOK:
		x.rejected, x.err = rejectedItems(x.body.ContentType, answer.body)
		if x.err != nil {
			x.outcome = failed
		}
		return 0
	case answer.status == http.StatusTooManyRequests:
		x.outcome = refused429
		return max(answer.retryAfter, failurePause)
	case answer.status == http.StatusServiceUnavailable && answer.retryAfter > 0:
		x.outcome = refused503
		return answer.retryAfter
	}
	x.outcome, x.err = failed, fmt.Errorf("answered %d: %.200q", answer.status, answer.body)
	return failurePause
}

// rejectedItems reads how many items of an accepted body were rejected.
func rejectedItems(contentType string, body []byte) (int64, error) {
	if contentType == "application/x-protobuf" {
		return partialSuccess(body)
	}
	var answer struct {
		Accepted *int64 `json:"accepted"`
		Rejected int64  `json:"rejected"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Accepted == nil {
		return 0, fmt.Errorf("want {\"accepted\":…}, got %.100s", strconv.Quote(string(body)))
	}
	return answer.Rejected, nil
}
