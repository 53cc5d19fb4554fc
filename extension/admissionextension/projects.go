package admissionextension

import (
	"sync"
	"time"

	"go.opentelemetry.io/collector/client"

	"github.com/trackwayhq/trackway/internal/admission"
)

// projects are those with limits.
type projects struct {
	burst float64
	max   int

	mu   sync.RWMutex
	byID map[string]*project
}

// get gives the project of id, nil when there are max of them already.
func (ps *projects) get(id string) *project {
	ps.mu.RLock()
	p := ps.byID[id]
	ps.mu.RUnlock()
	if p != nil {
		return p
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if p = ps.byID[id]; p == nil && len(ps.byID) < ps.max {
		p = &project{id: id, burst: ps.burst}
		ps.byID[id] = p
	}
	return p
}

// sweep forgets the projects that are idle. One that a request in progress holds
// may be forgotten too: that request's charge is then lost.
func (ps *projects) sweep(now time.Time) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for id, p := range ps.byID {
		if p.idle(now) {
			delete(ps.byID, id)
		}
	}
}

func (ps *projects) len() int {
	ps.mu.RLock()
	defer ps.mu.RUnlock()
	return len(ps.byID)
}

// admit says whose request it is and whether it may come in. The project is nil
// when it has no limits.
func (a *admissionExtension) admit(auth client.AuthData, now time.Time) (*project, *admission.Refusal) {
	id, limits, refusal := a.identify(auth)
	if refusal != nil || limits == (admission.Limits{}) {
		return nil, refusal
	}
	p := a.projects.get(id)
	if p == nil {
		return nil, a.errMaxProjects
	}
	return p, p.admit(now, limits)
}

// identify takes project and limits out of authentication data. An authenticator
// may have left a refusal in the project's place.
func (a *admissionExtension) identify(auth client.AuthData) (id string, limits admission.Limits, refusal *admission.Refusal) {
	limits = a.cfg.Limits
	if auth == nil {
		return "", limits, nil
	}
	switch value := auth.GetAttribute(a.cfg.AuthAttribute).(type) {
	case string:
		id = value
	case *admission.Refusal:
		return "", limits, value
	}
	if own, ok := auth.GetAttribute(admission.LimitsAttribute).(*admission.Limits); ok && own != nil {
		limits = override(limits, *own)
	}
	return id, limits, nil
}

// override takes a project's own limits where it has them.
func override(limits, own admission.Limits) admission.Limits {
	if own.ItemsPerSecond > 0 {
		limits.ItemsPerSecond = own.ItemsPerSecond
	}
	if own.BytesPerSecond > 0 {
		limits.BytesPerSecond = own.BytesPerSecond
	}
	if own.ItemsPerDay > 0 {
		limits.ItemsPerDay = own.ItemsPerDay
	}
	if own.BytesPerDay > 0 {
		limits.BytesPerDay = own.BytesPerDay
	}
	return limits
}
