package sqlmode

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed functions.txt
var functionsText string

// Function is a function that statements may call.
type Function struct {
	Name  string `json:"name"`
	Topic string `json:"topic"`
}

// Functions are what statements may call, by topic. Names of aggregate functions may
// carry the suffixes of [combinators].
var Functions = parseFunctions(functionsText)

// allowed has the names of Functions in lower case. Some functions may be written
// in any case; no two differ in it alone.
var allowed = func() map[string]bool {
	names := make(map[string]bool, len(Functions)+len(syntax))
	for _, f := range Functions {
		names[strings.ToLower(f.Name)] = true
	}
	for _, name := range syntax {
		names[name] = true
	}
	return names
}()

// aggregates are the names that take combinators, in lower case.
var aggregates = func() map[string]bool {
	names := map[string]bool{}
	for _, f := range Functions {
		if f.Topic == aggregateTopic {
			names[strings.ToLower(f.Name)] = true
		}
	}
	return names
}()

const aggregateTopic = "aggregates and windows"

// syntax is what the engine writes as functions and its list of functions leaves
// out: x -> y, EXISTS (…), GROUPING(…), and a wildcard as an argument.
var syntax = []string{"lambda", "exists", "grouping"}

// combinators change what an aggregate function adds up.
var combinators = []string{"If", "Array", "Map", "ForEach", "Distinct", "OrDefault", "OrNull", "ArgMin", "ArgMax", "State", "Merge"}

// Combinators may stand behind the names of aggregate functions.
func Combinators() []string { return slices.Clone(combinators) }

// isAllowed says whether statements may call the function.
func isAllowed(name string) bool {
	name = strings.ToLower(name)
	return allowed[name] || isCombined(name)
}

// isCombined says whether a name is that of an aggregate function with combinators
// behind it, as sumIf or uniqArrayIf.
func isCombined(name string) bool {
	for _, c := range combinators {
		base, found := strings.CutSuffix(name, strings.ToLower(c))
		if found && base != "" && (aggregates[base] || isCombined(base)) {
			return true
		}
	}
	return false
}

// parseFunctions reads functions.txt: topics in brackets, a name a line, # before
// comments.
func parseFunctions(text string) []Function {
	var functions []Function
	topic := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			topic = strings.Trim(line, "[]")
		default:
			functions = append(functions, Function{line, topic})
		}
	}
	return functions
}

// engineFunctions is what the engine has, which changes with it and with what its
// administrator adds.
type engineFunctions struct {
	mu       sync.Mutex
	withheld map[string]bool
	read     time.Time
}

// functionsKept is for how long the engine's functions are taken to be the same.
const functionsKept = time.Minute

// withheld gives the functions of the engine that statements may not call, in lower
// case. The engine also calls what is merely named: arrayMap(file, …) is
// arrayMap(x -> file(x), …), and USER is currentUser(). So nothing may have such a name.
func (c *Compiler) withheld(ctx context.Context) (map[string]bool, error) {
	c.engine.mu.Lock()
	defer c.engine.mu.Unlock()
	if c.engine.withheld != nil && time.Since(c.engine.read) < functionsKept {
		return c.engine.withheld, nil
	}
	text, err := c.ask(ctx, "sql_functions", "SELECT name FROM system.functions", nil)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for name := range strings.Lines(text) {
		if name = strings.ToLower(strings.TrimSpace(name)); !isAllowed(name) {
			names[name] = true
		}
	}
	c.engine.withheld, c.engine.read = names, time.Now()
	return names, nil
}
