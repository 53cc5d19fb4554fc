package queryserver

import (
	"context"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// seenErrors is what a window holds of an error group.
type seenErrors struct {
	group                uint64
	kind, service, route string
	count, weight        uint64
	first, last          time.Time
	sample               record.ID // the newest record
	releases             []releaseSpan
	trend                []uint64
}

// releaseSpan is when a release was seen, which may be the empty one.
type releaseSpan struct {
	release     string
	first, last time.Time
}

// maxErrorReleases is how many releases of a group are shown.
const maxErrorReleases = 20

// seenErrors reads the groups of a question, in its order; of more than
// maxErrorGroups one more than that.
func (a *api) seenErrors(ctx context.Context, q errorsQuestion) ([]*seenErrors, clickhouse.Stats, error) {
	var out []*seenErrors
	stats, err := a.ask(ctx, planErrors(q), func(r *clickhouse.Reader) { out = append(out, readErrors(r, q.grid)) })
	return out, stats, err
}

func readErrors(r *clickhouse.Reader, g grid) *seenErrors {
	s := &seenErrors{group: r.Uint64(), kind: r.String(), service: r.String(), route: r.String(), count: r.Uint64(), weight: r.Uint64(), trend: make([]uint64, g.columns)}
	s.first, s.last = readTime(r), readTime(r)
	s.sample = record.ID{Time: s.last, RID: r.Uint64()}
	// Rows of the inner statement: one for each release and column of the grid.
	parts := make([]releaseSpan, r.Len())
	for i := range parts {
		parts[i].release = r.String()
	}
	for i := range r.Len() {
		parts[i].first = readTime(r)
	}
	for i := range r.Len() {
		parts[i].last = readTime(r)
	}
	columns := make([]int, r.Len())
	for i := range columns {
		columns[i] = int(r.Uint32())
	}
	for i := range r.Len() {
		if n := r.Uint64(); columns[i] < g.columns {
			s.trend[columns[i]] += n
		}
	}
	s.releases = joinSpans(parts)
	return s
}

func readTime(r *clickhouse.Reader) time.Time { return time.Unix(0, r.Int64()).UTC() }

// joinSpans gives one span for each release, the one seen last first.
func joinSpans(parts []releaseSpan) []releaseSpan {
	at := map[string]int{}
	var out []releaseSpan
	for _, p := range parts {
		i, ok := at[p.release]
		if !ok {
			i = len(out)
			at[p.release] = i
			out = append(out, p)
		}
		out[i].first, out[i].last = earlier(out[i].first, p.first), later(out[i].last, p.last)
	}
	slices.SortFunc(out, func(a, b releaseSpan) int {
		if c := b.last.Compare(a.last); c != 0 {
			return c
		}
		return strings.Compare(a.release, b.release)
	})
	return out
}

// shown is the group's form in answers, without its message.
func (s *seenErrors) shown(q errorsQuestion, set *metadata.ErrorGroup, now time.Time) ErrorGroup {
	out := ErrorGroup{
		Group: shownGroup(s.group), State: stateOf(set, s, q.window, now), Type: s.kind, Service: s.service, Route: s.route,
		Count: s.count, FirstSeen: s.first, LastSeen: s.last, Releases: []string{}, Trend: s.trend,
	}
	if set != nil {
		status := shownErrorStatus(*set)
		out.Status = &status
	}
	if isSampled(s.count, s.weight) {
		out.Weighted = estimate(s.weight)
	}
	if s.count > 0 {
		out.Sample = s.sample.String()
	} else {
		out.Trend = make([]uint64, q.grid.columns)
	}
	for _, r := range s.releases {
		if r.release != "" && len(out.Releases) < maxErrorReleases {
			out.Releases = append(out.Releases, r.release)
		}
	}
	return out
}

// shownGroup is the form of a group in answers, as in those of records.
func shownGroup(group uint64) string {
	s := strconv.FormatUint(group, 16)
	return strings.Repeat("0", 16-len(s)) + s
}

// errorMessages gives the messages of the newest records of groups.
func (a *api) errorMessages(ctx context.Context, q errorsQuestion, groups []*seenErrors, stats *clickhouse.Stats) (map[uint64]string, error) {
	out := map[uint64]string{}
	if len(groups) == 0 {
		return out, nil
	}
	ids := make([]record.ID, len(groups))
	for i, g := range groups {
		ids[i] = g.sample
	}
	cost, err := a.ask(ctx, planErrorMessages(q, ids), func(r *clickhouse.Reader) {
		group := r.Uint64()
		out[group] = r.String()
	})
	stats.Add(cost)
	return out, err
}

// errorSamples adds a group's newest records, its message, and a stack.
func (a *api) errorSamples(ctx context.Context, q errorsQuestion, limit int, out *ErrorGroupDetail, stats *clickhouse.Stats) error {
	cost, err := a.ask(ctx, planErrorSamples(q, limit), func(r *clickhouse.Reader) {
		at := readTime(r)
		s := ErrorSample{ID: record.ID{Time: at, RID: r.Uint64()}.String(), TS: at, Service: r.String(), Release: r.String()}
		var trace [16]byte
		r.Fixed(trace[:])
		if trace != [16]byte{} {
			s.TraceID = hex.EncodeToString(trace[:])
		}
		s.Message = r.String()
		stack := r.String()
		if out.Stack == "" {
			out.Stack = stack
		}
		if len(out.Samples) == 0 {
			out.Message = s.Message
		}
		out.Samples = append(out.Samples, s)
	})
	stats.Add(cost)
	return err
}

// saidOfErrors gives what people say of a project's groups. Without a metadata store
// nothing was ever said; of one that does not answer, all groups would look open.
func (a *api) saidOfErrors(ctx context.Context, project string) (map[uint64]*metadata.ErrorGroup, error) {
	out := map[uint64]*metadata.ErrorGroup{}
	if a.projects.follower == nil {
		return out, nil
	}
	store, err := a.metadataStore()
	if err != nil {
		return nil, err
	}
	said, err := store.ErrorGroups(ctx, project)
	if err != nil {
		return nil, metadataProblem(ctx, err)
	}
	for group, g := range said {
		out[group] = &g
	}
	return out, nil
}

// errorHistory is saidOfErrors of one group, newest first.
func (a *api) errorHistory(ctx context.Context, project string, group uint64) ([]metadata.ErrorGroup, error) {
	if a.projects.follower == nil {
		return nil, nil
	}
	store, err := a.metadataStore()
	if err != nil {
		return nil, err
	}
	history, err := store.ErrorGroupHistory(ctx, project, group)
	if err != nil {
		return nil, metadataProblem(ctx, err)
	}
	return history, nil
}
