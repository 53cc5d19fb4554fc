package queryserver

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/trackwayhq/trackway/internal/filter"
)

// Problem is the body of every error answer (RFC 9457). A filter that cannot be
// read adds where it stops making sense.
type Problem struct {
	huma.ErrorModel
	Position *int   `json:"position,omitempty" doc:"Filter errors: byte offset in the filter at which the mistake starts."`
	Length   *int   `json:"length,omitempty" doc:"Filter errors: how many bytes the mistake has, 0 at the end of the filter."`
	Expected string `json:"expected,omitempty" doc:"Filter errors: what could stand at that position."`
}

func init() {
	// huma makes its own errors, and their schema, through this hook.
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		if status == http.StatusUnprocessableEntity {
			// A parameter of the wrong form is a bad request like any other.
			status = http.StatusBadRequest
		}
		p := problem(status, msg)
		for _, err := range errs {
			if err != nil {
				p.Add(err)
			}
		}
		p.explain(errs)
		return p
	}
	huma.DefaultArrayNullable = false
}

// explain puts what is wrong, and where, into the detail of a request that huma
// found invalid: huma says only that it is. Values that JSON does not have, as the
// Inf of min_ms=Inf, become text.
func (p *Problem) explain(errs []error) {
	if p.Status >= http.StatusInternalServerError || len(errs) == 0 {
		return
	}
	for i, e := range p.Errors {
		if f, ok := e.Value.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
			e.Value = strconv.FormatFloat(f, 'g', -1, 64)
		}
		if i == 0 && e.Location != "" {
			_, name, ok := strings.Cut(e.Location, ".")
			if !ok {
				name = e.Location
			}
			p.Detail = name + ": " + e.Message
		}
	}
	if more := len(p.Errors) - 1; more > 0 {
		p.Detail += fmt.Sprintf(" (and %d more: see errors)", more)
	}
}

func problem(status int, detail string) *Problem {
	return &Problem{ErrorModel: huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: detail}}
}

// badParameter is a 400 that names the query parameter at fault.
func badParameter(name, value string, err error) *Problem {
	p := problem(http.StatusBadRequest, name+": "+err.Error())
	p.Errors = []*huma.ErrorDetail{{Message: err.Error(), Location: "query." + name, Value: value}}
	return p
}

// parseFilter reads the parameter filter; its error is a *Problem with a position.
func (a *api) parseFilter(text string) (*filter.Expr, error) { return a.parseFilterOf("filter", text) }

// parseFilterOf reads a parameter that is a filter, as it has to be asked: see
// hashedKeys.
func (a *api) parseFilterOf(name, text string) (*filter.Expr, error) {
	expr, err := filter.Parse(text)
	if err == nil {
		expr, err = a.hashed.filter(expr)
	}
	if err == nil {
		return expr, nil
	}
	p := badParameter(name, text, err)
	var fe *filter.Error
	if errors.As(err, &fe) {
		p.Detail = fe.Error()
		p.Position, p.Length, p.Expected = &fe.Pos, &fe.Length, fe.Expected
	}
	return nil, p
}
