package queryserver

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// completer collects what can be typed at a place.
type completer struct {
	api      *api
	place    filter.Place
	question completeQuestion
	items    []CompletionItem
	stats    clickhouse.Stats
}

func (c *completer) run(ctx context.Context) error {
	if c.place.Quote != 0 && (c.place.Want == filter.WantTerm || c.place.Want == filter.WantConnective || c.place.Want == filter.WantField) {
		return nil // free text is anybody's guess
	}
	switch c.place.Want {
	case filter.WantTerm:
		if err := c.addFields(ctx); err != nil {
			return err
		}
		c.addWords("keyword", "NOT", "EXISTS")
	case filter.WantConnective:
		c.addWords("keyword", "AND", "OR")
		return c.addFields(ctx)
	case filter.WantTest:
		c.addOperators()
		c.addWords("keyword", "AND", "OR")
		if c.place.Typed != "" {
			return c.addFields(ctx)
		}
	case filter.WantField:
		return c.addFields(ctx)
	case filter.WantOperator:
		c.addOperators()
	case filter.WantKey:
		return c.addKeys(ctx)
	case filter.WantValue, filter.WantShortValue:
		return c.addValues(ctx)
	}
	return nil
}

// full says whether there is room for no more.
func (c *completer) full() bool { return len(c.items) >= maxCompletions }

func (c *completer) add(item CompletionItem) {
	same := func(o CompletionItem) bool { return o.Insert == item.Insert }
	if !c.full() && !slices.ContainsFunc(c.items, same) {
		c.items = append(c.items, item)
	}
}

// typedStarts says whether a text starts with what was typed, in any case.
func (c *completer) typedStarts(s string) bool {
	n := len(c.place.Typed)
	return len(s) >= n && strings.EqualFold(s[:n], c.place.Typed)
}

func (c *completer) addWords(kind string, words ...string) {
	for _, w := range words {
		if c.typedStarts(w) {
			c.add(CompletionItem{Kind: kind, Text: w, Insert: w})
		}
	}
}

func (c *completer) addOperators() {
	switch c.place.Field.Column.Type {
	case filter.Text:
		c.addWords("operator", "=", "!=", "~", "!~", "IN", "NOT IN", "LIKE", "ILIKE", "<", "<=", ">", ">=", "BETWEEN")
	case filter.Map:
		c.addWords("operator", "=", "!=", ">", ">=", "<", "<=", "~", "!~", "IN", "NOT IN", "LIKE", "ILIKE", "BETWEEN")
	case filter.Uint:
		c.addWords("operator", "=", "!=", ">", ">=", "<", "<=", "IN", "NOT IN", "BETWEEN")
	case filter.Time:
		c.addWords("operator", ">=", "<", ">", "<=", "BETWEEN", "=", "!=")
	case filter.HexID:
		c.addWords("operator", "=", "!=", "IN", "NOT IN")
	}
}

// addFields adds columns, then correlation keys and attributes.
func (c *completer) addFields(ctx context.Context) error {
	for _, column := range filter.Columns() {
		if !column.In(c.question.kind) || !c.typedStarts(column.Name) {
			continue
		}
		item := CompletionItem{Kind: "field", Text: column.Name, Insert: column.Name, Detail: typeName(column)}
		if column.Type == filter.Map {
			item.Detail, item.Insert = "map", column.Name+"['"
		}
		c.add(item)
	}
	if c.full() {
		return nil
	}
	found, stats, err := c.api.keysOf(ctx, c.question, []*filter.Column{correlationColumn, attributesColumn})
	c.stats.Add(stats)
	if err != nil {
		return err
	}
	for i, column := range []*filter.Column{correlationColumn, attributesColumn} {
		for _, key := range found[i] {
			f := filter.Field{Column: column, Key: key.text}
			item := CompletionItem{Kind: "key", Text: key.text, Insert: f.Name(), Detail: column.Name, Count: key.count}
			if filter.IsBareName(key.text) {
				item.Insert = key.text
			}
			c.add(item)
		}
	}
	return nil
}

// addKeys adds keys of a map.
func (c *completer) addKeys(ctx context.Context) error {
	keys, stats, err := c.api.keysOfMap(ctx, c.question, c.place.Field.Column)
	c.stats.Add(stats)
	if err != nil {
		return err
	}
	for _, key := range keys {
		f := filter.Field{Column: c.place.Field.Column, Key: key.text}
		insert := strings.TrimPrefix(f.Name(), f.Column.Name+"[")
		c.add(CompletionItem{Kind: "key", Text: key.text, Insert: insert, Detail: f.Column.Name, Count: key.count})
	}
	return nil
}

// notCompleted are columns of which no list of values is of use.
var notCompleted = map[string]bool{
	"ts": true, "duration": true, "duration_ms": true, "trace_id": true, "span_id": true, "parent_span_id": true, "request_id": true,
	"request_bytes": true, "response_bytes": true, "error_group": true, "error_stack": true, "request_body": true, "response_body": true,
}

// addValues adds values of a field, from the cheapest table that knows them.
func (c *completer) addValues(ctx context.Context) error {
	f, q := &c.place.Field, c.question
	column := f.Column
	switch {
	case !column.In(q.kind) || notCompleted[column.Name]:
		return nil
	case (column == correlationColumn || f.Bare()) && c.api.hashed.has(f.Key):
		return nil // nobody types hashes
	case column.Name == "type":
		for _, kind := range anyKind {
			if c.typedStarts(kind.String()) {
				c.addValue(counted{text: kind.String()})
			}
		}
		return nil
	case column.Name == "severity":
		for _, name := range filter.SeverityNames {
			if c.typedStarts(name) {
				c.addName(name)
			}
		}
		return nil
	case q.kind == record.Request && rollupColumns[column.Name]:
		return c.addCounted(ctx, planCompleteCounts(q, column))
	case column == correlationColumn:
		return c.addCounted(ctx, planCompleteJourney(q, f.Key))
	case f.Bare():
		if err := c.addCounted(ctx, planCompleteJourney(q, f.Key)); err != nil || len(c.items) > 0 {
			return err
		}
		f = &filter.Field{Column: attributesColumn, Key: f.Key}
	}
	if f.Column == attributesColumn && q.kind == record.Request {
		if err := c.addCounted(ctx, planCompleteFacets(q, f.Key)); err != nil || len(c.items) > 0 {
			return err
		}
	}
	return c.addCounted(ctx, planCompleteRows(q, f))
}

func (c *completer) addCounted(ctx context.Context, q clickhouse.Query) error {
	values, stats, err := c.api.askCounted(ctx, q)
	c.stats.Add(stats)
	for _, v := range values {
		c.addValue(v)
	}
	return err
}

// addName adds a name for a number.
func (c *completer) addName(name string) {
	insert := filter.Literal(name, c.place.Quote, c.place.Want == filter.WantShortValue, false)
	c.add(CompletionItem{Kind: "value", Text: name, Insert: insert})
}

func (c *completer) addValue(v counted) {
	if !utf8.ValidString(v.text) {
		return // no filter can say it
	}
	number := c.place.Field.Column.Type == filter.Uint
	insert := filter.Literal(v.text, c.place.Quote, c.place.Want == filter.WantShortValue, number)
	c.add(CompletionItem{Kind: "value", Text: v.text, Insert: insert, Count: v.count})
}
