package queryserver

import (
	"context"
	"errors"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/internal/filter"
)

func (a *api) registerComplete(h huma.API) {
	op := get("complete", "complete", "What can be typed at a place of a filter")
	op.Description = "Fields, keys, operators and values that can stand at a position of a filter. Values are counted in rollups and " +
		"indexes; of what these do not know, the newest records are looked at."
	huma.Register(h, op, a.complete)
	huma.Register(h, get("fields", "fields", "Fields that filters can name"), a.fields)
}

type completeInput struct {
	ProjectParam
	WindowParams
	KindParam
	Filter   string `query:"filter" doc:"The filter as far as it is typed."`
	Position int    `query:"position" default:"-1" minimum:"-1" doc:"Byte of the filter in front of which somebody types. Default: its end."`
}

// Completion is what can be typed.
type Completion struct {
	From    int              `json:"from" doc:"The bytes of the filter from here on"`
	To      int              `json:"to" doc:"up to here are replaced by what is chosen."`
	Items   []CompletionItem `json:"items" doc:"At most 20. Empty where nothing is known, or where the filter makes no sense before the position."`
	Problem *FilterProblem   `json:"problem,omitempty" doc:"Why the filter makes no sense before the position."`
	Stats   Stats            `json:"stats"`
}

// FilterProblem says where a filter makes no sense.
type FilterProblem struct {
	Position int    `json:"position" doc:"Byte offset in the filter at which the mistake starts."`
	Length   int    `json:"length" doc:"How many bytes it has, 0 at the end of the filter."`
	Found    string `json:"found"`
	Expected string `json:"expected"`
}

// CompletionItem is one thing that can be typed.
type CompletionItem struct {
	Kind   string `json:"kind" enum:"field,key,operator,keyword,value"`
	Text   string `json:"text" doc:"What to show."`
	Insert string `json:"insert" doc:"What to put in place of the bytes between from and to."`
	Detail string `json:"detail,omitempty" doc:"For a field its type and where it comes from."`
	Count  uint64 `json:"count,omitempty" doc:"Stored records with the key or value, in the newest seven days of the window at most; in the newest 10,000 records where no rollup counts it."`
}

const (
	maxCompletions = 20
	// completeWindow is how far back completion looks unless told.
	completeWindow = 24 * time.Hour
)

func (a *api) complete(ctx context.Context, in *completeInput) (*answer[Completion], error) {
	position := in.Position
	if position < 0 {
		position = len(in.Filter)
	}
	if position > len(in.Filter) {
		return nil, badParameter("position", "", errors.New("want a byte of the filter, or its length for the end"))
	}
	w, err := in.resolve(a.now(), completeWindow)
	if err != nil {
		return nil, err
	}
	place, err := filter.Complete(in.Filter, position)
	var wrong *filter.Error
	if errors.As(err, &wrong) {
		return &answer[Completion]{Body: Completion{
			From: position, To: position, Items: []CompletionItem{},
			Problem: &FilterProblem{Position: wrong.Pos, Length: wrong.Length, Found: wrong.Found, Expected: wrong.Expected},
		}}, nil
	}
	if err != nil {
		return nil, err
	}
	c := completer{api: a, place: place, question: newCompleteQuestion(in.Project, in.kind(), w)}
	c.question.prefix = place.Typed
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	out := Completion{From: place.From, To: place.To, Items: c.items, Stats: statsOf(c.stats)}
	if out.Items == nil {
		out.Items = []CompletionItem{}
	}
	return &answer[Completion]{Body: out}, nil
}

type fieldsInput struct {
	ProjectParam
	WindowParams
	KindParam
	Prefix string `query:"prefix" maxLength:"256" doc:"Only keys that start with this."`
	Limit  int    `query:"limit" default:"500" minimum:"1" maximum:"1000" doc:"Most keys per map."`
}

// Fields is what filters can name.
type Fields struct {
	Fields []FilterField `json:"fields" doc:"Columns in the order of the schema, then the keys of maps, those of each map by their count."`
	Stats  Stats         `json:"stats"`
}

// FilterField is one field.
type FilterField struct {
	Name   string `json:"name" doc:"The column, or the key within its map."`
	Filter string `json:"filter" doc:"How a filter names it."`
	Type   string `json:"type" enum:"text,number,duration,size,time,id"`
	Source string `json:"source" enum:"column,attributes,resource,correlation,request_headers,response_headers" doc:"Where it comes from."`
	Count  uint64 `json:"count,omitempty" doc:"For a key, stored records that have it, as in complete; absent for correlation keys, which are not counted."`
}

func (a *api) fields(ctx context.Context, in *fieldsInput) (*answer[Fields], error) {
	w, err := in.resolve(a.now(), completeWindow)
	if err != nil {
		return nil, err
	}
	q := newCompleteQuestion(in.Project, in.kind(), w)
	q.prefix, q.limit = in.Prefix, in.Limit
	out := Fields{Fields: []FilterField{}}
	var maps []*filter.Column
	for _, c := range filter.Columns() {
		switch {
		case !c.In(q.kind):
		case c.Type == filter.Map:
			maps = append(maps, c)
		default:
			out.Fields = append(out.Fields, FilterField{Name: c.Name, Filter: c.Name, Type: typeName(c), Source: "column"})
		}
	}
	found, stats, err := a.keysOf(ctx, q, maps)
	if err != nil {
		return nil, err
	}
	for i, c := range maps {
		for _, k := range found[i] {
			f := filter.Field{Column: c, Key: k.text}
			out.Fields = append(out.Fields, FilterField{Name: k.text, Filter: f.Name(), Type: "text", Source: c.Name, Count: k.count})
		}
	}
	out.Stats = statsOf(stats)
	return &answer[Fields]{Body: out}, nil
}

// typeName is how a column compares, as the API calls it.
func typeName(c *filter.Column) string {
	switch {
	case c.Duration:
		return "duration"
	case c.Size:
		return "size"
	case c.Type == filter.Uint:
		return "number"
	case c.Type == filter.Time:
		return "time"
	case c.Type == filter.HexID:
		return "id"
	}
	return "text"
}
