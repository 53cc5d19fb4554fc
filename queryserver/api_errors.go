package queryserver

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// ErrorGroups are the error groups of a window.
type ErrorGroups struct {
	From      time.Time    `json:"from"`
	To        time.Time    `json:"to"`
	TrendGrid TrendGrid    `json:"trend_grid" doc:"What the counts of a group's trend cover."`
	Groups    []ErrorGroup `json:"groups"`
	Total     int          `json:"total" doc:"How many groups there are, in the state asked for; at most 10,000 are looked at."`
	Truncated bool         `json:"truncated" doc:"There are more than 10,000 groups: those that come first in the order asked for were looked at."`
	Stats     Stats        `json:"stats"`
}

// TrendGrid is the time axis of trends.
type TrendGrid struct {
	From  time.Time `json:"from" doc:"Start of the first step. What lies before the asked from is not counted."`
	StepS int       `json:"step_s" doc:"Seconds a step covers."`
}

// ErrorGroup is what was seen of one error in a window, and what is said of it.
type ErrorGroup struct {
	Group     string       `json:"group" doc:"16 hex digits: error_group of records."`
	State     string       `json:"state" enum:"open,resolved,resolved_in_release,ignored,regressed" doc:"As of what was seen in the window; ignored ends by itself, and regressed is a resolved one that was seen again."`
	Status    *ErrorStatus `json:"status,omitempty" doc:"What was set; absent where nothing was."`
	Type      string       `json:"type"`
	Message   string       `json:"message" doc:"Of the newest record."`
	Service   string       `json:"service" doc:"A group is of one service."`
	Route     string       `json:"route,omitempty" doc:"Of requests: a group is of one route."`
	Count     uint64       `json:"count" doc:"Stored records."`
	Weighted  float64      `json:"weighted,omitempty" doc:"Records that count stands for, an estimate; only where senders sampled."`
	FirstSeen time.Time    `json:"first_seen,omitzero" doc:"In the window."`
	LastSeen  time.Time    `json:"last_seen,omitzero" doc:"In the window."`
	Sample    string       `json:"sample,omitempty" doc:"Id of the newest record."`
	Releases  []string     `json:"releases" doc:"Releases it was seen in, the one seen last first; at most 20."`
	Trend     []uint64     `json:"trend" doc:"Counts over time, one per step."`
}

// ErrorGroupDetail is one error group with examples.
type ErrorGroupDetail struct {
	ErrorGroup
	From      time.Time     `json:"from"`
	To        time.Time     `json:"to"`
	TrendGrid TrendGrid     `json:"trend_grid" doc:"What the counts of the trend cover."`
	Stack     string        `json:"stack,omitempty" doc:"Of the newest of the samples that has one."`
	Samples   []ErrorSample `json:"samples" doc:"Newest first."`
	History   []ErrorStatus `json:"history" doc:"What was said of it, newest first: the last 100 changes."`
	Stats     Stats         `json:"stats"`
}

// ErrorSample is a record with an error.
type ErrorSample struct {
	ID      string    `json:"id" doc:"The record's id."`
	TS      time.Time `json:"ts"`
	Service string    `json:"service,omitempty"`
	Release string    `json:"release,omitempty"`
	TraceID string    `json:"trace_id,omitempty"`
	Message string    `json:"message"`
}

// ErrorChange is the body of PATCH.
type ErrorChange struct {
	State        string  `json:"state,omitempty" enum:"open,resolved,resolved_in_release,ignored" doc:"Absent: stays."`
	Release      string  `json:"release,omitempty" maxLength:"200" doc:"The release with the fix; with resolved_in_release, and only then."`
	IgnoredUntil string  `json:"ignored_until,omitempty" maxLength:"64" doc:"With ignored: when the group is open again, RFC 3339 or epoch milliseconds in a string. Absent: never."`
	Owner        *string `json:"owner,omitempty" maxLength:"200" doc:"Who looks after it; empty: nobody. Absent: stays."`
}

// TrendParam says how fine trends are.
type TrendParam struct {
	Buckets int `query:"buckets" default:"30" minimum:"1" maximum:"200" doc:"About how many counts of a trend; steps are round, so there may be fewer."`
}

type errorsInput struct {
	QuestionParams
	KindParam
	TrendParam
	State string `query:"state" enum:"open,resolved,resolved_in_release,ignored,regressed" doc:"Only groups in this state."`
	Sort  string `query:"sort" enum:"-last_seen,last_seen,-first_seen,first_seen,-count,count" default:"-last_seen" doc:"With - before it the greatest first."`
	Limit int    `query:"limit" default:"100" minimum:"1" maximum:"500" doc:"Most groups."`
}

// ErrorGroupParam names a group.
type ErrorGroupParam struct {
	Group string `path:"group" pattern:"^[0-9a-fA-F]{16}$" doc:"error_group of records, 16 hex digits." example:"00c0ffee00c0ffee"`
}

type errorInput struct {
	QuestionParams
	KindParam
	ErrorGroupParam
	TrendParam
	Samples int `query:"samples" default:"10" minimum:"1" maximum:"100" doc:"Most samples."`
}

type errorChangeInput struct {
	ProjectParam
	ErrorGroupParam
	Body ErrorChange
}

// maxErrorBody is room for all values at their longest, escaped.
const maxErrorBody = 16 << 10

func (a *api) registerErrors(h huma.API) {
	huma.Register(h, get("list-errors", "errors", "Error groups"), a.listErrors)
	huma.Register(h, get("get-error", "errors/{group}", "One error group, with samples and its history"), a.getError)
	huma.Register(h, huma.Operation{
		OperationID: "change-error", Method: http.MethodPatch, Path: base + "/errors/{group}", Summary: "Resolve, ignore or own an error group", Tags: []string{"query"},
		MaxBodyBytes: maxErrorBody,
	}, a.changeError)
}

func (a *api) listErrors(ctx context.Context, in *errorsInput) (*answer[ErrorGroups], error) {
	q, err := a.errorsQuestion(in.QuestionParams, in.KindParam, in.Buckets)
	if err != nil {
		return nil, err
	}
	q.sort = in.Sort
	said, err := a.saidOfErrors(ctx, in.Project)
	if err != nil {
		return nil, err
	}
	found, stats, err := a.seenErrors(ctx, q)
	if err != nil {
		return nil, err
	}
	out := ErrorGroups{From: q.window.From, To: q.window.To, TrendGrid: trendGrid(q.grid), Groups: []ErrorGroup{}, Truncated: len(found) > maxErrorGroups}
	found = found[:min(len(found), maxErrorGroups)]
	if in.State != "" {
		found = slices.DeleteFunc(found, func(s *seenErrors) bool { return stateOf(said[s.group], s, q.window, a.now()) != in.State })
	}
	out.Total = len(found)
	found = found[:min(len(found), in.Limit)]
	messages, err := a.errorMessages(ctx, q, found, &stats)
	if err != nil {
		return nil, err
	}
	for _, s := range found {
		shown := s.shown(q, said[s.group], a.now())
		shown.Message = messages[s.group]
		out.Groups = append(out.Groups, shown)
	}
	out.Stats = statsOf(stats)
	return &answer[ErrorGroups]{Body: out}, nil
}

func (a *api) getError(ctx context.Context, in *errorInput) (*answer[ErrorGroupDetail], error) {
	group, err := parseErrorGroup(in.Group)
	if err != nil {
		return nil, err
	}
	q, err := a.errorsQuestion(in.QuestionParams, in.KindParam, in.Buckets)
	if err != nil {
		return nil, err
	}
	q.group, q.sort = group, "-last_seen"
	history, err := a.errorHistory(ctx, in.Project, group)
	if err != nil {
		return nil, err
	}
	found, stats, err := a.seenErrors(ctx, q)
	if err != nil {
		return nil, err
	}
	seen := &seenErrors{group: group}
	switch {
	case len(found) > 0:
		seen = found[0]
	case len(history) == 0:
		return nil, problem(http.StatusNotFound, fmt.Sprintf("no %s between %s and %s has the error group %s, and nothing was said of it: widen the window",
			q.kind, q.window.From.Format(time.RFC3339), q.window.To.Format(time.RFC3339), in.Group))
	}
	out := ErrorGroupDetail{From: q.window.From, To: q.window.To, TrendGrid: trendGrid(q.grid), Samples: []ErrorSample{}, History: []ErrorStatus{}}
	var set *metadata.ErrorGroup
	if len(history) > 0 {
		set = &history[0]
	}
	out.ErrorGroup = seen.shown(q, set, a.now())
	for _, h := range history {
		out.History = append(out.History, shownErrorStatus(h))
	}
	if seen.count > 0 {
		if err := a.errorSamples(ctx, q, in.Samples, &out, &stats); err != nil {
			return nil, err
		}
	}
	out.Stats = statsOf(stats)
	return &answer[ErrorGroupDetail]{Body: out}, nil
}

func (a *api) changeError(ctx context.Context, in *errorChangeInput) (*answer[ErrorStatus], error) {
	group, err := parseErrorGroup(in.Group)
	if err != nil {
		return nil, err
	}
	store, err := a.metadataStore()
	if err != nil {
		return nil, err
	}
	change := metadata.ErrorGroupChange{State: metadata.ErrorState(in.Body.State), Release: in.Body.Release, Owner: in.Body.Owner}
	if in.Body.IgnoredUntil != "" {
		if change.IgnoredUntil, err = parseTime(in.Body.IgnoredUntil, a.now()); err != nil {
			p := badParameter("ignored_until", in.Body.IgnoredUntil, err)
			p.Errors[0].Location = "body.ignored_until"
			return nil, p
		}
	}
	set, err := store.ChangeErrorGroup(ctx, "api", in.Project, group, change)
	if err != nil {
		return nil, metadataProblem(ctx, err)
	}
	return &answer[ErrorStatus]{Body: shownErrorStatus(set)}, nil
}

func (a *api) errorsQuestion(in QuestionParams, kind KindParam, buckets int) (errorsQuestion, error) {
	q := errorsQuestion{project: in.Project, kind: kind.kind()}
	var err error
	if q.filter, err = a.parseFilter(in.Filter); err != nil {
		return q, err
	}
	if q.window, err = in.resolve(a.now(), defaultWindow); err != nil {
		return q, err
	}
	q.grid = gridOf(q.window, buckets)
	return q, nil
}

// parseErrorGroup reads a group's id. No error has the group 0.
func parseErrorGroup(text string) (uint64, error) {
	group, err := strconv.ParseUint(text, 16, 64)
	if err != nil || group == 0 {
		return 0, problem(http.StatusBadRequest, fmt.Sprintf("group: want 16 hex digits that are not all 0, got %q", text))
	}
	return group, nil
}

func trendGrid(g grid) TrendGrid { return TrendGrid{From: g.start, StepS: int(g.step / time.Second)} }
