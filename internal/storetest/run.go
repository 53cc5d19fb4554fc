package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Backend is what scripts run on.
type Backend interface {
	// Load stores items in the form of POST /v1/ingest, and returns when all of
	// them can be read.
	Load(ctx context.Context, items []json.RawMessage) error
	// Ask gives the answer of GET path below the project.
	Ask(ctx context.Context, path string, query url.Values) (status int, body []byte, err error)
}

// The window of every question that does not name one.
const (
	defaultFrom = "@0s"
	defaultTo   = "@12h"
)

// timeless are the first parts of paths that take no window.
var timeless = map[string]bool{"traces": true, "tail": true}

// listings are the paths that take a window alone, and none before an id.
var listings = map[string]bool{"requests": true, "spans": true, "events": true}

// Run runs a script with its time base; the error names the line that failed.
func Run(ctx context.Context, b Backend, s *Script, base time.Time) error {
	r := runner{backend: b, clock: clock{base}, vars: map[string]any{}}
	for _, c := range s.Commands {
		if err := r.run(ctx, c); err != nil {
			return fmt.Errorf("%s:%d: %s: %w", s.Name, c.Line, c.Verb, err)
		}
	}
	return r.settle(s.Name)
}

type runner struct {
	backend Backend
	clock   clock
	vars    map[string]any

	asked  Command // the last eval, for its status if nobody expects one
	status int
	judged bool // a status was expected, or nothing was asked
	body   any
}

func (r *runner) run(ctx context.Context, c Command) error {
	switch c.Verb {
	case "load":
		return r.load(ctx, c)
	case "eval":
		return r.eval(ctx, c)
	case "set":
		if err := r.answered(); err != nil {
			return err
		}
		v, err := lookup(r.body, c.Args[1])
		if err == nil && v == nil {
			err = fmt.Errorf("the answer has no %s", c.Args[1])
		}
		r.vars[c.Args[0]] = v
		return err
	}
	return r.expect(c)
}

func (r *runner) load(ctx context.Context, c Command) error {
	var items []json.RawMessage
	for _, line := range c.Block {
		made, err := r.clock.items(line.Text)
		if err != nil {
			return fmt.Errorf("line %d: %w", line.Line, err)
		}
		items = append(items, made...)
	}
	return r.backend.Load(ctx, items)
}

func (r *runner) eval(ctx context.Context, c Command) error {
	if err := r.settle(""); err != nil {
		return err
	}
	query := url.Values{}
	for _, word := range c.Args[1:] {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			return fmt.Errorf("a parameter is written key=value, got %q", word)
		}
		text, err := r.text(value)
		if err != nil {
			return err
		}
		query.Set(key, text)
	}
	path, err := r.text(c.Args[0])
	if err != nil {
		return err
	}
	parts := strings.Split(path, "/")
	if !timeless[parts[0]] && (!listings[parts[0]] || len(parts) == 1) {
		for key, value := range map[string]string{"from": defaultFrom, "to": defaultTo} {
			if !query.Has(key) {
				query.Set(key, r.clock.expand(value))
			}
		}
	}
	status, body, err := r.backend.Ask(ctx, path, query)
	if err != nil {
		return err
	}
	r.asked, r.status, r.judged = c, status, false
	r.body, err = decode(body)
	return err
}

// text reads a word of an eval: quotes are undone, variables and times expanded.
func (r *runner) text(word string) (string, error) {
	v, err := parseValue(word)
	if err != nil {
		return "", err
	}
	text, ok := v.(string)
	if !ok {
		return word, nil
	}
	for name, value := range r.vars {
		text = strings.ReplaceAll(text, "$"+name, showVariable(value))
	}
	return r.clock.expand(text), nil
}

func showVariable(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return clock{}.showValue(v)
}

// settle fails when the last answer was an error that nobody expected.
func (r *runner) settle(script string) error {
	if r.asked.Verb == "" || r.judged {
		return nil
	}
	r.judged = true
	if r.status == 200 {
		return nil
	}
	err := fmt.Errorf("line %d: the answer has status %d: %s", r.asked.Line, r.status, r.clock.showValue(r.body))
	if script != "" {
		err = fmt.Errorf("%s: %w", script, err)
	}
	return err
}

func (r *runner) answered() error {
	if r.asked.Verb == "" {
		return errors.New("nothing was asked yet: put an eval before it")
	}
	return nil
}

func (r *runner) expect(c Command) error {
	if err := r.answered(); err != nil {
		return err
	}
	if c.Args[0] == "status" && len(c.Args) == 2 {
		r.judged = true
		want, err := strconv.Atoi(c.Args[1])
		if err != nil || want != r.status {
			return fmt.Errorf("got %d, want %s: %s", r.status, c.Args[1], r.clock.showValue(r.body))
		}
		return nil
	}
	if err := r.settle(""); err != nil {
		return err
	}
	got, err := lookup(r.body, c.Args[0])
	if err != nil {
		return err
	}
	switch len(c.Args) {
	case 1:
		return r.clock.compareTable(got, c.Block)
	case 3:
		want, err := r.value(c.Args[2])
		if err != nil {
			return err
		}
		return r.clock.compare(got, c.Args[1], want)
	}
	return fmt.Errorf("want PATH, PATH OP VALUE or status N")
}

// value reads the right side of an expectation.
func (r *runner) value(word string) (any, error) {
	if name, ok := strings.CutPrefix(word, "$"); ok {
		v, known := r.vars[name]
		if !known {
			return nil, fmt.Errorf("$%s was never set", name)
		}
		return v, nil
	}
	if d, err := offset(word); err == nil {
		return r.clock.base.Add(d).UTC().Format(time.RFC3339Nano), nil
	}
	if strings.HasPrefix(word, "`") {
		return parseValue(word)
	}
	if json.Valid([]byte(word)) && (len(word) <= maxNumber || word[0] < '0' || word[0] > '9') {
		return decode([]byte(word))
	}
	return word, nil
}
