package queryserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/metadata"
)

const (
	rareError, oftenError, spanError = uint64(0xfe00000000000001), uint64(2), uint64(3)
	rareID, oftenID, spanID          = "fe00000000000001", "0000000000000002", "0000000000000003"
)

// someErrors are, over an hour, a request a minute, of which every third has an error,
// the last of them another one; and a span with an error.
func someErrors() []record.Record {
	var all []record.Record
	for i := range 60 {
		rec := record.Record{Kind: record.Request, Project: "default", RID: uint64(i + 1), Time: figuresStart.Add(time.Duration(i) * time.Minute), Service: "api", Route: "/a", Method: "GET", Status: 200}
		if i%3 == 0 {
			rec.Status, rec.ErrorGroup, rec.ErrorType, rec.ErrorMessage, rec.Release = 500, oftenError, "IOError", fmt.Sprint("often ", i), "v1"
			if i >= 30 {
				rec.Release = "v2"
			}
			if i == 30 {
				rec.ErrorStack = "the stack"
			}
		}
		if i == 57 {
			rec.ErrorGroup, rec.ErrorType, rec.ErrorMessage, rec.Route, rec.Status, rec.Weight = rareError, "Rare", strings.Repeat("é", 600), "/b", 404, 512
			rec.TraceID[0] = 9
		}
		all = append(all, rec)
	}
	other := all[0]
	other.Project, other.RID = "other", 1000
	return append(all, other, record.Record{Kind: record.Span, Project: "default", RID: 2000, Time: figuresStart, Service: "db", ErrorGroup: spanError, ErrorType: "SQL", ErrorMessage: "m"})
}

var errorsWindow = []string{"from", figuresStart.Format(time.RFC3339), "to", figuresStart.Add(time.Hour).Format(time.RFC3339)}

func askErrors(t *testing.T, s *testStore, query ...string) ErrorGroups {
	t.Helper()
	return decodeAnswer[ErrorGroups](t, s, "errors", append(query, errorsWindow...)...)
}

func groupIDs(got ErrorGroups) string {
	var ids []string
	for _, g := range got.Groups {
		ids = append(ids, g.Group)
	}
	return strings.Join(ids, " ")
}

func TestErrorGroupsCount(t *testing.T) {
	s := newTestStore(t)
	s.insert(someErrors()...)
	got := askErrors(t, s)
	if groupIDs(got) != rareID+" "+oftenID || got.Total != 2 || got.Truncated {
		t.Fatalf("%+v", got)
	}
	rare, often := got.Groups[0], got.Groups[1]
	if rare.Count != 1 || rare.Weighted != 2 || rare.Message != strings.Repeat("é", maxErrorMessage) || rare.Route != "/b" || len(rare.Releases) != 1 {
		t.Errorf("%+v", rare)
	}
	if often.Count != 19 || often.Weighted != 0 || often.Type != "IOError" || often.Message != "often 54" || often.Service != "api" || often.Route != "/a" || often.State != "open" || often.Status != nil ||
		!often.FirstSeen.Equal(figuresStart) || !often.LastSeen.Equal(figuresStart.Add(54*time.Minute)) || strings.Join(often.Releases, " ") != "v2 v1" {
		t.Errorf("%+v", often)
	}
	if got.TrendGrid.StepS != 120 || len(often.Trend) != 30 || often.Trend[0] != 1 || often.Trend[2] != 0 || sum(often.Trend) != 19 {
		t.Errorf("%+v of %+v", often.Trend, got.TrendGrid)
	}
	if status, body := s.get("requests/" + often.Sample); status != http.StatusOK || !strings.Contains(string(body), "often 54") {
		t.Errorf("sample: %d: %s", status, body)
	}
	for want, query := range map[string][]string{
		oftenID + " " + rareID:       {"sort", "-count"},
		oftenID + " " + rareID + " ": {"sort", "first_seen"},
		oftenID:                      {"filter", "status >= 500"},
		rareID:                       {"limit", "1"},
		spanID:                       {"kind", "span"},
		"":                           {"kind", "event"},
		" ":                          {"state", "resolved"},
	} {
		if ids := groupIDs(askErrors(t, s, query...)); ids != strings.TrimSpace(want) {
			t.Errorf("%v: %q, want %q", query, ids, want)
		}
	}
	if got := decodeAnswer[ErrorGroups](t, s, "errors", "from", "-1h"); len(got.Groups) != 0 || got.Groups == nil {
		t.Errorf("an empty window: %+v", got)
	}

	one := decodeAnswer[ErrorGroupDetail](t, s, "errors/"+oftenID, append(errorsWindow, "samples", "12")...)
	if one.Count != 19 || one.Message != "often 54" || one.Stack != "the stack" || len(one.Samples) != 12 || one.Samples[0].ID != often.Sample || len(one.History) != 0 || sum(one.Trend) != 19 {
		t.Errorf("%+v", one)
	}
	if one := decodeAnswer[ErrorGroupDetail](t, s, "errors/"+strings.ToUpper(rareID), errorsWindow...); len(one.Samples) != 1 || one.Samples[0].TraceID[:2] != "09" || len(one.Message) != 1200 {
		t.Errorf("%+v", one)
	}
}

func sum(counts []uint64) (n uint64) {
	for _, c := range counts {
		n += c
	}
	return n
}

func TestBadQuestionsForErrors(t *testing.T) {
	s := newTestStore(t)
	for path, want := range map[string]int{
		"errors?state=closed": 400, "errors?sort=name": 400, "errors?limit=501": 400, "errors?limit=0": 400, "errors?filter=a+%3D": 400, "errors?colour=red": 400, "errors?buckets=201": 400,
		"errors/1": 400, "errors/zzzzzzzzzzzzzzzz": 400, "errors/0000000000000000": 400, "errors/0000000000000007": 404, "errors/0000000000000007?samples=101": 400,
	} {
		if status, body := s.send(http.MethodGet, path, ""); status != want {
			t.Errorf("%s: %d: %s, want %d", path, status, body, want)
		}
	}
	if status, body := s.send(http.MethodPatch, "errors/"+oftenID, `{"state":"resolved"}`); status != http.StatusServiceUnavailable || !strings.Contains(body, "metadata.dsn") {
		t.Errorf("%d: %s", status, body)
	}
}

func TestStatesOfErrors(t *testing.T) {
	s := newTestStoreWithMetadata(t, metadata.FileDSN(filepath.Join(t.TempDir(), metadata.FileName)))
	s.insert(someErrors()...)
	patch := func(body string) ErrorStatus {
		t.Helper()
		status, answer := s.send(http.MethodPatch, "errors/"+oftenID, body)
		var set ErrorStatus
		if err := json.Unmarshal([]byte(answer), &set); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d: %s", body, status, answer)
		}
		return set
	}
	patch(`{"state":"resolved","owner":"api team"}`)
	patch(`{"state":"resolved_in_release","release":"v3"}`)
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	set := patch(`{"state":"ignored","ignored_until":"` + until.Format(time.RFC3339) + `"}`)
	if set.State != "ignored" || !set.IgnoredUntil.Equal(until) || set.Owner != "api team" || set.Release != "" || set.Actor != "api" {
		t.Errorf("%+v", set)
	}
	got := askErrors(t, s, "state", "ignored")
	if groupIDs(got) != oftenID || got.Groups[0].Status == nil || *got.Groups[0].Status != set || got.Total != 1 {
		t.Errorf("%+v", got)
	}
	if got := askErrors(t, s, "state", "open"); groupIDs(got) != rareID {
		t.Errorf("%+v", got)
	}
	one := decodeAnswer[ErrorGroupDetail](t, s, "errors/"+oftenID, errorsWindow...)
	if len(one.History) != 3 || one.History[0] != set || one.History[1].Release != "v3" || one.History[2].State != "resolved" || one.State != "ignored" {
		t.Errorf("%+v", one.History)
	}
	// Of a group with a state a window without errors is an answer, too.
	if one := decodeAnswer[ErrorGroupDetail](t, s, "errors/"+oftenID, "from", "-1h"); one.Count != 0 || one.State != "ignored" || one.Samples == nil || one.Releases == nil || len(one.Trend) == 0 {
		t.Errorf("%+v", one)
	}
	for want, body := range map[string]string{
		"neither":       `{}`,
		"state":         `{"state":"regressed"}`,
		"release":       `{"state":"resolved_in_release"}`,
		"only then":     `{"state":"resolved","release":"v1"}`,
		"ignored_until": `{"state":"ignored","ignored_until":"soon"}`,
		"time to come":  `{"state":"ignored","ignored_until":"-1h"}`,
		"owner":         `{"owner":"` + strings.Repeat("o", 201) + `"}`,
		"colour":        `{"state":"open","colour":"red"}`,
	} {
		if status, answer := s.send(http.MethodPatch, "errors/"+oftenID, body); status != http.StatusBadRequest || !strings.Contains(answer, want) {
			t.Errorf("%s: %d: %s, want 400 and %q", body, status, answer, want)
		}
	}
	if status, _ := s.send(http.MethodPatch, "errors/"+oftenID, `{"owner":"`+strings.Repeat("x", maxErrorBody)+`"}`); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a long body: %d", status)
	}
}

func TestRegressedErrors(t *testing.T) {
	at := figuresStart
	seen := func(release string, from, to time.Duration) releaseSpan {
		return releaseSpan{release, at.Add(from), at.Add(to)}
	}
	whole := window{at.Add(-time.Hour), at.Add(2 * time.Hour)}
	for name, c := range map[string]struct {
		set  metadata.ErrorGroup
		seen []releaseSpan
		w    window
		want string
	}{
		"nothing since":             {metadata.ErrorGroup{State: metadata.ErrorResolved, Since: at}, []releaseSpan{seen("v1", -time.Minute, 0)}, whole, "resolved"},
		"again":                     {metadata.ErrorGroup{State: metadata.ErrorResolved, Since: at}, []releaseSpan{seen("v1", -time.Minute, 1)}, whole, "regressed"},
		"in an old release":         {metadata.ErrorGroup{State: metadata.ErrorResolvedInRelease, Release: "v2", Since: at}, []releaseSpan{seen("v1", -time.Minute, time.Minute)}, whole, "resolved_in_release"},
		"in the release":            {metadata.ErrorGroup{State: metadata.ErrorResolvedInRelease, Release: "v2", Since: at}, []releaseSpan{seen("v2", -time.Minute, time.Minute)}, whole, "regressed"},
		"in a new release":          {metadata.ErrorGroup{State: metadata.ErrorResolvedInRelease, Release: "v2", Since: at}, []releaseSpan{seen("v3", 1, time.Minute), seen("v1", -2, -1)}, whole, "regressed"},
		"in who knows what release": {metadata.ErrorGroup{State: metadata.ErrorResolvedInRelease, Release: "v2", Since: at}, []releaseSpan{seen("v1", 1, time.Minute)}, window{at, at.Add(time.Hour)}, "resolved_in_release"},
		"ignored":                   {metadata.ErrorGroup{State: metadata.ErrorIgnored, Since: at}, []releaseSpan{seen("v1", 0, time.Minute)}, whole, "ignored"},
		"not yet":                   {metadata.ErrorGroup{State: metadata.ErrorIgnored, IgnoredUntil: at.Add(2 * time.Hour), Since: at}, nil, whole, "ignored"},
		"no longer ignored":         {metadata.ErrorGroup{State: metadata.ErrorIgnored, IgnoredUntil: at.Add(time.Hour), Since: at}, nil, whole, "open"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &seenErrors{releases: c.seen}
			for _, r := range c.seen {
				s.last = later(s.last, r.last)
			}
			if got := stateOf(&c.set, s, c.w, at.Add(time.Hour)); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
