package sqlmode

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// node is one node of a statement as EXPLAIN AST describes it.
type node struct {
	kind     string // Function, Identifier, SelectQuery …
	name     string // what follows the kind: of a function, a table, a literal's value
	alias    string
	children []*node
}

var (
	childrenSuffix = regexp.MustCompile(` \(children (\d+)\)$`)
	aliasSuffix    = regexp.MustCompile(` \(alias ([^()]*)\)$`)

	errDump = errors.New("the engine's description of the statement is not of the form this release knows")
	errTree = fmt.Errorf("%w (query tree)", errDump)
)

// parseDump reads the output of EXPLAIN AST: a node a line, indented by its depth,
// with its number of children. Numbers and depths must agree.
func parseDump(text string) (*node, error) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	root, rest, err := parseNode(lines, 0)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%w: %d lines behind the last node", errDump, len(rest))
	}
	return root, nil
}

// parseNode reads the node of the first line and those below it.
func parseNode(lines []string, depth int) (*node, []string, error) {
	if len(lines) == 0 {
		return nil, nil, fmt.Errorf("%w: a node is missing", errDump)
	}
	line := lines[0]
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) != depth || text == "" {
		return nil, nil, fmt.Errorf("%w: a node at the wrong depth", errDump)
	}
	n, count := &node{}, 0
	if m := childrenSuffix.FindStringSubmatchIndex(text); m != nil {
		var err error
		if count, err = strconv.Atoi(text[m[2]:m[3]]); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", errDump, err)
		}
		text = text[:m[0]]
	}
	if m := aliasSuffix.FindStringSubmatchIndex(text); m != nil {
		n.alias, text = text[m[2]:m[3]], text[:m[0]]
	}
	n.kind, n.name, _ = strings.Cut(text, " ")
	rest := lines[1:]
	for range count {
		child, after, err := parseNode(rest, depth+1)
		if err != nil {
			return nil, nil, err
		}
		n.children, rest = append(n.children, child), after
	}
	return n, rest, nil
}
