package sqlmode

import (
	"fmt"
	"slices"
	"strings"
)

// Refusal says why a statement may not run. Its text is for who wrote it.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

var tableFunctions = []string{"numbers", "values"}

// TableFunctions may stand where a table is expected.
func TableFunctions() []string { return slices.Clone(tableFunctions) }

func isTableFunction(name string) bool {
	return slices.Contains(tableFunctions, strings.ToLower(name))
}

func refuseTableFunction(name string) error {
	return refuse("the table function %s is not available: SQL mode has %s", name, strings.Join(tableFunctions, " and "))
}

// nodeKinds are the nodes that a statement may consist of, besides those that check
// looks at closer. None of them hides a name of a function or a table: those that do,
// such as ColumnsApplyTransformer, are not here.
var nodeKinds = map[string]bool{
	"SelectWithUnionQuery": true, "SelectIntersectExceptQuery": true, "SelectQuery": true, "ExpressionList": true, "Subquery": true, "WithElement": true,
	"Literal": true, "Asterisk": true, "QualifiedAsterisk": true,
	"ColumnsRegexpMatcher": true, "ColumnsListMatcher": true, "QualifiedColumnsRegexpMatcher": true, "QualifiedColumnsListMatcher": true,
	"ColumnsTransformerList": true, "ColumnsExceptTransformer": true, "ColumnsReplaceTransformer": true, "ColumnsReplaceTransformer::Replacement": true,
	"TablesInSelectQuery": true, "TablesInSelectQueryElement": true, "TableJoin": true, "ArrayJoin": true,
	"OrderByElement": true, "WindowDefinition": true, "WindowListElement": true, "InterpolateElement": true,
}

// refusedKinds are words for nodes that people are likely to try.
var refusedKinds = map[string]string{
	"Set":                     "SETTINGS are those of SQL mode: leave the clause out",
	"ColumnsApplyTransformer": "APPLY is not available: write the expression for each column",
	"SampleRatio":             "SAMPLE is not available: the views have no sampling key",
	"Explain":                 "EXPLAIN is not available: only SELECT is",
	"QueryParameter":          "parameters such as {name:Type} are not available: write the value",
}

// checker walks a statement.
type checker struct {
	// tables may be read: our views and the statement's common table expressions.
	tables map[string]bool
	// names may stand for values: columns of views, and what the statement defines.
	names map[string]bool
	// withheld may not be named at all, in lower case.
	withheld map[string]bool
}

// checkStatement refuses everything that is not on the lists. root is what EXPLAIN AST
// made of the statement; ctes are the names of its common table expressions, withheld
// the functions that it may not even name.
func checkStatement(root *node, ctes []string, withheld map[string]bool) error {
	c := &checker{tables: map[string]bool{}, names: map[string]bool{}, withheld: withheld}
	for _, name := range ctes {
		if isView(name) {
			return refuse("WITH %s AS (…): there is a view of that name, take another", name)
		}
		if err := c.define(name); err != nil {
			return err
		}
		c.tables[name] = true
	}
	for _, v := range Views {
		c.tables[v.Name], c.names[v.Name] = true, true
		for _, column := range v.Columns {
			c.names[column.Name] = true
		}
	}
	if err := c.definitions(root); err != nil {
		return err
	}
	if root.kind != "SelectWithUnionQuery" {
		return refuse("only SELECT is available, this is another statement (%s)", root.kind)
	}
	return c.check(root)
}

// define takes a name that the statement gives to something.
func (c *checker) define(name string) error {
	if c.withheld[strings.ToLower(name)] {
		return refuse("the name %s is that of a function which is not available in SQL mode: take another name", name)
	}
	c.names[name] = true
	return nil
}

// definitions collects the names that a statement defines: aliases, parameters of
// lambda functions, columns of table functions.
func (c *checker) definitions(n *node) error {
	var names []string
	if n.alias != "" {
		names = append(names, n.alias)
	}
	if n.kind == "Function" {
		args := arguments(n)
		switch strings.ToLower(n.name) {
		case "lambda":
			if len(args) > 0 {
				for _, parameter := range arguments(args[0]) {
					names = append(names, parameter.name)
				}
			}
		case "numbers":
			names = append(names, "number")
		case "values":
			names = append(names, valueColumns(args)...)
		}
	}
	for _, name := range names {
		if err := c.define(name); err != nil {
			return err
		}
	}
	for _, child := range n.children {
		if err := c.definitions(child); err != nil {
			return err
		}
	}
	return nil
}

// valueColumns are the names that values() gives its columns: those of its structure,
// else c1, c2 and so on.
func valueColumns(args []*node) []string {
	var names []string
	if len(args) > 0 {
		if text, ok := literalText(args[0]); ok {
			for _, m := range fieldName.FindAllStringSubmatch(text, -1) {
				names = append(names, m[2])
			}
			return names
		}
	}
	for i := range maxValueColumns {
		names = append(names, fmt.Sprintf("c%d", i+1))
	}
	return names
}

// maxValueColumns is how many columns of values() without a structure have names here.
const maxValueColumns = 20

func (c *checker) check(n *node) error {
	switch n.kind {
	case "Function":
		return c.function(n)
	case "TableExpression":
		return c.tableExpression(n)
	case "Identifier":
		return c.identifier(n)
	case "TableIdentifier":
		return refuse("the table %s is named at a place where none is expected", n.name)
	}
	if reason, known := refusedKinds[n.kind]; known {
		return refuse("%s", reason)
	}
	if !nodeKinds[n.kind] {
		return refuse("%s is not available in SQL mode", n.kind)
	}
	if n.kind == "SelectWithUnionQuery" && (len(n.children) != 1 || n.children[0].kind != "ExpressionList") {
		// A format's name and its settings hang on the union beside its queries.
		return refuse("FORMAT, SETTINGS and INTO OUTFILE are not available: the Accept header chooses the format")
	}
	return c.below(n)
}

func (c *checker) below(n *node) error {
	for _, child := range n.children {
		if err := c.check(child); err != nil {
			return err
		}
	}
	return nil
}

// identifier checks a name: that of a column, or what the statement defines.
func (c *checker) identifier(n *node) error {
	first, _, _ := strings.Cut(n.name, ".")
	switch {
	case c.withheld[strings.ToLower(n.name)]:
		return refuse("%s is the name of a function that is not available in SQL mode", n.name)
	case !c.names[first] && !c.names[n.name]:
		return refuse("there is no column and no alias %s", n.name)
	}
	return c.below(n)
}

// function checks a call. What the second argument of IN names can be a table.
func (c *checker) function(n *node) error {
	if !isAllowed(n.name) {
		return refuse("the function %s is not available in SQL mode", n.name)
	}
	lower := strings.ToLower(n.name)
	args := arguments(n)
	if isIn(lower) && len(args) > 1 {
		if set := args[1]; set.kind == "Identifier" && !c.tables[set.name] {
			return c.unknownTable(set.name)
		}
	}
	if isConversion(lower) {
		if err := checkType(n.name, args); err != nil {
			return err
		}
	}
	return c.below(n)
}

// isIn says whether a function takes a table as its second argument.
func isIn(lower string) bool {
	return lower == "in" || lower == "notin"
}

// conversions take a type's name as text in their last argument.
var conversions = []string{"cast", "accuratecast", "accuratecastornull", "accuratecastordefault", "jsonextract", "jsonextractcaseinsensitive", "jsonextractkeysandvalues", "jsonextractkeysandvaluescaseinsensitive"}

func isConversion(lower string) bool { return slices.Contains(conversions, lower) }

// checkType refuses types that are not on the list, and types that are computed.
func checkType(name string, args []*node) error {
	at := len(args) - 1
	if strings.EqualFold(name, "accurateCastOrDefault") {
		at = 1 // the default may follow
	}
	if at < 1 || at >= len(args) {
		return refuse("%s: want a value and a type", name)
	}
	text, ok := literalText(args[at])
	if !ok {
		return refuse("%s: the type must be written out as text", name)
	}
	if !isType(text) {
		return refuse("%s: the type %s is not available in SQL mode", name, text)
	}
	return nil
}

// literalText is the value of a text literal that needs no escapes but quotes.
func literalText(n *node) (string, bool) {
	if n.kind != "Literal" || len(n.name) < 2 || n.name[0] != '\'' || n.name[len(n.name)-1] != '\'' {
		return "", false
	}
	text := strings.ReplaceAll(n.name[1:len(n.name)-1], `\'`, "'")
	return text, !strings.Contains(text, `\`)
}

// arguments are the nodes of a call's first list, which are its arguments; a second
// list has parameters.
func arguments(n *node) []*node {
	if len(n.children) == 0 || n.children[0].kind != "ExpressionList" {
		return nil
	}
	return n.children[0].children
}

// tableExpression checks what stands behind FROM and JOIN: a view, a common table
// expression, a subquery, or one of the table functions.
func (c *checker) tableExpression(n *node) error {
	for _, child := range n.children {
		var err error
		switch child.kind {
		case "TableIdentifier":
			if !c.tables[child.name] {
				err = c.unknownTable(child.name)
			}
			if len(child.children) > 0 {
				err = refuse("the table %s carries something this release does not know", child.name)
			}
		case "Function":
			err = c.tableFunction(child)
		case "ExpressionList": // names for the columns: FROM t AS u (a, b)
			err = c.below(child)
		default:
			err = c.check(child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) tableFunction(n *node) error {
	if !isTableFunction(n.name) {
		return refuseTableFunction(n.name)
	}
	if strings.EqualFold(n.name, "values") {
		if args := arguments(n); len(args) > 0 {
			if text, isText := literalText(args[0]); args[0].kind == "Literal" && strings.HasPrefix(args[0].name, "'") && (!isText || !isType(text)) {
				return refuse("values: begin with a structure of names and types, as values('name String, n UInt8', …)")
			}
		}
	}
	return c.below(n)
}

func (c *checker) unknownTable(name string) error {
	return refuse("there is no view %s; there are %s", name, strings.Join(viewNames(), ", "))
}

func viewNames() []string {
	names := make([]string, len(Views))
	for i, v := range Views {
		names[i] = v.Name
	}
	return names
}
