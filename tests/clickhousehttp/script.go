package clickhousehttp

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// exchange is one request with what is expected of the answer.
type exchange struct {
	line int // of the request's first line in the file

	method, path string
	params       []param
	headers      [][2]string
	encode       string
	anonymous    bool
	body         string

	status      int
	wantHeaders []headerPattern
	decode      string
	anyBody     bool
	tail        *regexp.Regexp
	wantBody    []linePattern
}

type param struct{ name, value string }

type headerPattern struct {
	name    string
	pattern *regexp.Regexp // nil: the header must be absent
}

// linePattern is a line of the body: exact, or a regexp of the whole line.
type linePattern struct {
	text    string
	pattern *regexp.Regexp
}

// url is the request's path with its escaped parameters.
func (e *exchange) url() string {
	if len(e.params) == 0 {
		return e.path
	}
	parts := make([]string, len(e.params))
	for i, p := range e.params {
		parts[i] = url.QueryEscape(p.name) + "=" + url.QueryEscape(p.value)
	}
	separator := "?"
	if strings.Contains(e.path, "?") {
		separator = "&"
	}
	return e.path + separator + strings.Join(parts, "&")
}

// parse reads a conversation file.
func parse(text string) ([]*exchange, error) {
	var exchanges []*exchange
	var e *exchange
	var side byte
	inBody, newline := false, true
	for i, line := range strings.Split(text, "\n") {
		if line == "" || (line[0] != '>' && line[0] != '<') {
			continue
		}
		content := strings.TrimPrefix(line[1:], " ")
		first := line[0] != side
		side = line[0]
		if first {
			inBody = false
		}
		var err error
		switch {
		case first && side == '>':
			newline = true
			e = &exchange{line: i + 1}
			exchanges = append(exchanges, e)
			method, path, ok := strings.Cut(content, " ")
			if !ok {
				err = errors.New("want METHOD PATH")
			}
			e.method, e.path = method, path
		case e == nil:
			err = errors.New("an answer without a request")
		case first:
			e.status, err = strconv.Atoi(content)
		case content == "" && !inBody:
			inBody = true
		case inBody && side == '>':
			e.body += content
			if newline {
				e.body += "\n"
			}
		case inBody:
			err = e.expectLine(content)
		case side == '>' && content == "@no-newline":
			newline = false
		case side == '>':
			err = e.requestLine(content)
		default:
			err = e.answerLine(content)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", i+1, line, err)
		}
	}
	return exchanges, nil
}

func (e *exchange) requestLine(content string) error {
	if name, found := strings.CutPrefix(content, "?"); found {
		name, value, ok := strings.Cut(name, "=")
		if !ok {
			return errors.New("want ?name=value")
		}
		e.params = append(e.params, param{name, value})
		return nil
	}
	if content == "@anonymous" {
		e.anonymous = true
		return nil
	}
	if method, found := strings.CutPrefix(content, "@encode "); found {
		e.encode = method
		return nil
	}
	name, value, ok := strings.Cut(content, ": ")
	if !ok {
		return errors.New("want a header, ?name=value or a directive")
	}
	e.headers = append(e.headers, [2]string{name, value})
	return nil
}

func (e *exchange) answerLine(content string) (err error) {
	switch {
	case content == "@any":
		e.anyBody = true
		return nil
	case strings.HasPrefix(content, "@decode "):
		e.decode = strings.TrimPrefix(content, "@decode ")
		return nil
	case strings.HasPrefix(content, "@tail "):
		e.tail, err = regexp.Compile("(?s)" + strings.TrimPrefix(content, "@tail ") + "$")
		return err
	case strings.HasPrefix(content, "!"):
		e.wantHeaders = append(e.wantHeaders, headerPattern{name: content[1:]})
		return nil
	}
	name, pattern, ok := strings.Cut(content, ": ")
	if !ok {
		return errors.New("want a header or a directive")
	}
	compiled, err := regexp.Compile(pattern)
	e.wantHeaders = append(e.wantHeaders, headerPattern{name: name, pattern: compiled})
	return err
}

func (e *exchange) expectLine(content string) error {
	pattern, found := strings.CutPrefix(content, "~ ")
	if !found {
		e.wantBody = append(e.wantBody, linePattern{text: content})
		return nil
	}
	compiled, err := regexp.Compile("^(?:" + pattern + ")$")
	e.wantBody = append(e.wantBody, linePattern{text: pattern, pattern: compiled})
	return err
}
