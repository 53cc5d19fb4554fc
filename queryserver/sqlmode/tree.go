package sqlmode

import (
	"regexp"
	"slices"
	"strings"
)

// treeKinds are the nodes of EXPLAIN QUERY TREE that a statement may consist of.
var treeKinds = map[string]bool{
	"QUERY": true, "UNION": true, "LIST": true, "IDENTIFIER": true, "CONSTANT": true, "FUNCTION": true, "LAMBDA": true, "MATCHER": true,
	"EXCEPT COLUMN TRANSFORMER": true, "REPLACE COLUMN TRANSFORMER": true,
	"WINDOW": true, "SORT": true, "INTERPOLATE": true, "TABLE_FUNCTION": true,
	"CROSS JOIN": true, "JOIN": true, "ARRAY_JOIN": true,
}

// treeHeading is a line between nodes. SETTINGS is none of them.
var treeHeading = regexp.MustCompile(`^(?:WITH|PROJECTION|PROJECTION COLUMNS|JOIN TREE|PREWHERE|WHERE|GROUP BY|HAVING|WINDOW|QUALIFY|ORDER BY|` +
	`INTERPOLATE|LIMIT|OFFSET|LIMIT BY|LIMIT BY LIMIT|LIMIT BY OFFSET|QUERIES|ARGUMENTS|PARAMETERS|EXPRESSION(?: .*)?|INTERPOLATE_EXPRESSION|` +
	`TABLE EXPRESSION|LEFT TABLE EXPRESSION|RIGHT TABLE EXPRESSION|JOIN EXPRESSION|JOIN EXPRESSIONS|PARTITION BY|` +
	`FRAME BEGIN OFFSET|FRAME END OFFSET|FILL FROM|FILL TO|FILL STEP|FILL STALENESS|REPLACEMENTS \d+|REPLACEMENT NAME .* EXPRESSION)$`)

var (
	treeNode       = regexp.MustCompile(`^([A-Z][A-Z_ ]*) id: \d+`)
	treeFunction   = regexp.MustCompile(`(?:^|, )function_name: ([^,]*)`)
	treeTableFunc  = regexp.MustCompile(`(?:^|, )table_function_name: ([^,]*)`)
	treeIdentifier = regexp.MustCompile(`, identifier: (.*)$`)
	treeCTE        = regexp.MustCompile(`, cte_name: (.*)$`)
)

// checkTree walks what EXPLAIN QUERY TREE without passes says, which is what the
// engine's analyzer begins with, and gives the names of the statement's common table
// expressions. It sees functions that EXPLAIN AST does not show.
func checkTree(text string) (ctes []string, err error) {
	size := newExpansion()
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		inner := strings.TrimLeft(line, " ")
		depth := len(line) - len(inner)
		line = strings.TrimSpace(line)
		m := treeNode.FindStringSubmatch(line)
		if m == nil {
			if strings.HasPrefix(line, "SETTINGS") {
				return nil, refuse("%s", refusedKinds["Set"])
			}
			if !treeHeading.MatchString(line) {
				// The line is not told: nobody knows what it is.
				return nil, errTree
			}
			continue
		}
		kind, attributes := m[1], line[len(m[0]):]
		name, err := checkTreeNode(kind, attributes)
		if err != nil {
			return nil, err
		}
		size.node(depth, kind, name)
		if name != "" && kind != "IDENTIFIER" && !slices.Contains(ctes, name) {
			ctes = append(ctes, name)
		}
	}
	if n := size.selects(); n > maxSelects {
		return nil, refuse("the statement reads too much at once: with its common table expressions put in place it has more than %d SELECTs", maxSelects)
	}
	return ctes, nil
}

// checkTreeNode checks one node, and gives the name of an identifier or of a common
// table expression.
func checkTreeNode(kind, attributes string) (name string, err error) {
	switch {
	case !treeKinds[kind]:
		return "", refuse("%s is not available in SQL mode", strings.ToLower(kind))
	case kind == "FUNCTION":
		f := treeFunction.FindStringSubmatch(attributes)
		if f == nil || !isAllowed(f[1]) {
			return "", refuse("the function %s is not available in SQL mode", nameIn(f))
		}
	case kind == "TABLE_FUNCTION":
		f := treeTableFunc.FindStringSubmatch(attributes)
		if f == nil || !isTableFunction(f[1]) {
			return "", refuseTableFunction(nameIn(f))
		}
	case kind == "QUERY" || kind == "UNION":
		if cte := treeCTE.FindStringSubmatch(attributes); cte != nil {
			name, _, _ = strings.Cut(cte[1], ", ")
		}
	case kind == "IDENTIFIER":
		if identifier := treeIdentifier.FindStringSubmatch(attributes); identifier != nil {
			name, _, _ = strings.Cut(identifier[1], ", ")
		}
	}
	return name, nil
}

func nameIn(match []string) string {
	if match == nil {
		return "without a name"
	}
	return match[1]
}
