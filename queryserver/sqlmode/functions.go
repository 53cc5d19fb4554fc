package sqlmode

import (
	_ "embed"
	"slices"
	"strings"
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
