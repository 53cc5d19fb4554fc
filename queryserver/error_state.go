package queryserver

import (
	"time"

	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// ErrorStatus is what people say of an error group.
type ErrorStatus struct {
	State        string    `json:"state" doc:"As it was set: open, resolved, resolved_in_release or ignored."`
	Since        time.Time `json:"since" doc:"When the state was set."`
	Release      string    `json:"release,omitempty" doc:"The release with the fix."`
	IgnoredUntil time.Time `json:"ignored_until,omitzero" doc:"When the group is open again."`
	Owner        string    `json:"owner,omitempty"`
	Changed      time.Time `json:"changed" doc:"When this was said."`
	Actor        string    `json:"actor" doc:"Who said it."`
}

func shownErrorStatus(g metadata.ErrorGroup) ErrorStatus {
	return ErrorStatus{
		State: string(g.State), Since: g.Since, Release: g.Release, IgnoredUntil: g.IgnoredUntil, Owner: g.Owner, Changed: g.Changed, Actor: g.Actor,
	}
}

// regressed is the state of a group that was seen again after it was resolved.
const regressed = "regressed"

// stateOf is a group's state as of what was seen of it. What was resolved and is seen
// later has regressed. A fix in a release does not end errors of releases before it:
// such a group has regressed when it is seen later in that release, or in one that it
// was not seen in before it was resolved. Of the latter a window says nothing that
// begins after the resolution.
func stateOf(set *metadata.ErrorGroup, seen *seenErrors, w window, now time.Time) string {
	if set == nil {
		return string(metadata.ErrorOpen)
	}
	switch set.State {
	case metadata.ErrorIgnored:
		if !set.IgnoredUntil.IsZero() && !now.Before(set.IgnoredUntil) {
			return string(metadata.ErrorOpen)
		}
	case metadata.ErrorResolved:
		if seen.last.After(set.Since) {
			return regressed
		}
	case metadata.ErrorResolvedInRelease:
		for _, r := range seen.releases {
			fixed := r.release == set.Release
			fresh := r.first.After(set.Since) && w.From.Before(set.Since)
			if r.last.After(set.Since) && (fixed || fresh) {
				return regressed
			}
		}
	}
	return string(set.State)
}
