package admissionextension

import (
	"fmt"
	"sync"
	"time"

	"github.com/trackwayhq/trackway/internal/admission"
)

// day is the number of a day of UTC since the epoch.
type day int64

const secondsPerDay = 24 * 60 * 60

func dayOf(t time.Time) day { return day(t.Unix() / secondsPerDay) }

// untilNext is how long the day of t still takes.
func untilNext(t time.Time) time.Duration {
	return time.Unix(int64(dayOf(t)+1)*secondsPerDay, 0).Sub(t)
}

// amount is a number of items and of bytes.
type amount struct {
	Items int64 `json:"items"`
	Bytes int64 `json:"bytes"`
}

// project is what a project with limits has sent.
type project struct {
	id    string // empty for requests without a project
	burst float64

	mu     sync.Mutex
	limits admission.Limits
	items  bucket
	bytes  bucket
	day    day
	today  amount
}

// roll begins a new day. A clock that was set back does not give a day twice.
func (p *project) roll(now time.Time) {
	if d := dayOf(now); d > p.day {
		p.day, p.today = d, amount{}
	}
}

func (p *project) fill(now time.Time) {
	p.items.fill(now.UnixNano(), float64(p.limits.ItemsPerSecond), p.burst)
	p.bytes.fill(now.UnixNano(), float64(p.limits.BytesPerSecond), p.burst)
}

// admit says whether a request may come in under limits, which may have changed
// since the last one.
func (p *project) admit(now time.Time, limits admission.Limits) *admission.Refusal {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limits != limits {
		p.fill(now) // what was earned so far, at the old rates
		// A rate that was not there before begins with its burst.
		if p.limits.ItemsPerSecond == 0 {
			p.items = bucket{}
		}
		if p.limits.BytesPerSecond == 0 {
			p.bytes = bucket{}
		}
		p.limits = limits
	}
	p.roll(now)
	p.fill(now)
	if limits.ItemsPerDay > 0 && p.today.Items >= limits.ItemsPerDay {
		return p.refuse("items_per_day", limits.ItemsPerDay, untilNext(now))
	}
	if limits.BytesPerDay > 0 && p.today.Bytes >= limits.BytesPerDay {
		return p.refuse("bytes_per_day", limits.BytesPerDay, untilNext(now))
	}
	if limits.ItemsPerSecond > 0 {
		if wait := p.items.wait(float64(limits.ItemsPerSecond)); wait > 0 {
			return p.refuse("items_per_second", limits.ItemsPerSecond, wait)
		}
	}
	if limits.BytesPerSecond > 0 {
		if wait := p.bytes.wait(float64(limits.BytesPerSecond)); wait > 0 {
			return p.refuse("bytes_per_second", limits.BytesPerSecond, wait)
		}
	}
	return nil
}

func (p *project) refuse(limit string, value int64, wait time.Duration) *admission.Refusal {
	name := "project " + p.id
	if p.id == "" {
		name = "data without a project"
	}
	r := admission.TooMany(limit, "", wait)
	r.Limit, r.Max = limit, value
	r.Message = fmt.Sprintf("%s is over its limit of %d (%s): send again in %d s", name, value, limit, r.RetrySeconds())
	return r
}

// charge adds what was sent, or takes it back when a is negative.
func (p *project) charge(now time.Time, a amount) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.roll(now)
	p.fill(now)
	if p.limits.ItemsPerSecond > 0 {
		p.items.level -= float64(a.Items)
	}
	if p.limits.BytesPerSecond > 0 {
		p.bytes.level -= float64(a.Bytes)
	}
	// What is taken back after midnight was charged to the day before.
	p.today.Items = max(0, p.today.Items+a.Items)
	p.today.Bytes = max(0, p.today.Bytes+a.Bytes)
}

// idle says whether forgetting the project would change nothing.
func (p *project) idle(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.roll(now)
	p.fill(now)
	return p.today == amount{} &&
		p.items.level >= float64(p.limits.ItemsPerSecond)*p.burst && p.bytes.level >= float64(p.limits.BytesPerSecond)*p.burst
}

// usage is what was sent on which day.
func (p *project) usage() (day, amount) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.day, p.today
}
