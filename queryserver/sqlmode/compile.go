package sqlmode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

const (
	// MaxQuery is the longest statement, in bytes; people write kilobytes.
	MaxQuery = 64 << 10
	// maxText leaves room for what the engine writes in place of short forms, and
	// for the views in front.
	maxText = 1 << 20
	// maxDump is the longest description of a statement that is read.
	maxDump = 16 << 20
	// maxNodes and maxDepth bound what is walked.
	maxNodes = 20_000
	maxDepth = 200
	// parseTime is how long the engine may take over a description.
	parseTime = 5 * time.Second
	// emptyDatabase is where names are looked up that are neither views nor common
	// table expressions; the check lets no such name through.
	emptyDatabase = "information_schema"
)

// Compiler turns what people write into statements that can run.
type Compiler struct {
	Store *clickhouse.Client
	// Database holds the tables.
	Database string

	engine engineFunctions
}

// Compile checks a statement and gives the one to run. What may not run is a
// *Refusal, what the engine cannot parse a *clickhouse.Exception.
func (c *Compiler) Compile(ctx context.Context, text string) (string, error) {
	switch {
	case len(text) > MaxQuery:
		return "", refuse("the statement has %d bytes; at most %d are taken", len(text), MaxQuery)
	case strings.ContainsRune(text, 0):
		return "", refuse("the statement has a zero byte")
	}
	canonical, err := c.ask(ctx, "sql_parse", "SELECT formatQuerySingleLine({text:String})", map[string]string{"text": text})
	if err != nil {
		return "", err
	}
	if err := checkBeginning(canonical); err != nil {
		return "", err
	}
	if err := checkNames(canonical); err != nil {
		return "", err
	}
	withheld, err := c.withheld(ctx)
	if err != nil {
		return "", err
	}
	tree, err := c.ask(ctx, "sql_tree", "EXPLAIN QUERY TREE run_passes = 0, dump_tree = 1, dump_ast = 0 "+canonical, nil)
	if err != nil {
		return "", explained(err)
	}
	ctes, err := checkTree(tree)
	if err != nil {
		return "", explained(err)
	}
	dump, err := c.ask(ctx, "sql_ast", "EXPLAIN AST optimize = 0, graph = 0 "+canonical, nil)
	if err != nil {
		return "", explained(err)
	}
	root, err := parseDump(dump)
	if err != nil {
		return "", explained(err)
	}
	if err := checkStatement(root, ctes, withheld); err != nil {
		return "", err
	}
	return c.wrap(canonical, ctes), nil
}

// checkBeginning refuses other statements than SELECT before they are put behind
// EXPLAIN, which may do more than explain them.
func checkBeginning(canonical string) error {
	for _, word := range []string{"SELECT ", "WITH ", "("} {
		if strings.HasPrefix(canonical, word) {
			return nil
		}
	}
	verb, _, _ := strings.Cut(canonical, " ")
	return refuse("only SELECT is available, not %s", verb)
}

// explained makes a refusal of a description that is not one: a statement that is no
// SELECT, or names a format, changes what EXPLAIN answers.
func explained(err error) error {
	var e *clickhouse.Exception
	switch {
	case errors.Is(err, errDump):
		return refuse("the statement cannot be checked, so it does not run: only SELECT is available, without FORMAT, SETTINGS and INTO OUTFILE")
	case errors.As(err, &e) && e.Code == codeUnknownParameter:
		return refuse("%s", refusedKinds["QueryParameter"])
	case errors.As(err, &e) && e.Code == codeReadonly:
		return refuse("%s", refusedKinds["Set"])
	}
	return err
}

// wrap puts the views in front of a checked statement. The statement's own common table
// expressions stand there too, as traps: should one be named where it is not in scope,
// the trap is found and not a table.
func (c *Compiler) wrap(canonical string, ctes []string) string {
	var b strings.Builder
	b.WriteString("WITH ")
	for _, v := range Views {
		b.WriteString(v.expression(c.Database) + ",\n")
	}
	for _, name := range ctes {
		fmt.Fprintf(&b, "`%s` AS (SELECT throwIf(1, 'a common table expression is used where it is not defined')),\n", name)
	}
	text := strings.TrimSuffix(b.String(), ",\n")
	return text + "\nSELECT * FROM (" + canonical + ")"
}

// ask runs a statement of ours about the statement, and gives the text of the answer.
func (c *Compiler) ask(ctx context.Context, name, sql string, params map[string]string) (string, error) {
	stream, err := c.Store.Open(ctx, clickhouse.StreamQuery{
		Query: clickhouse.Query{Name: name, SQL: sql, Params: params, Settings: map[string]string{
			"enable_analyzer":  "1",
			"max_query_size":   fmt.Sprint(maxText),
			"max_parser_depth": fmt.Sprint(maxDepth),
			"max_ast_depth":    fmt.Sprint(maxDepth),
			"max_ast_elements": fmt.Sprint(maxNodes),
			"max_memory_usage": "268435456",
			"implicit_select":  "0",
			"dialect":          "clickhouse",
		}},
		Format: "TSVRaw", ID: newStatementID(), Database: emptyDatabase, Timeout: parseTime, Whole: true,
	})
	if err != nil {
		return "", err
	}
	defer stream.Close()
	answer, err := io.ReadAll(io.LimitReader(stream, maxDump+1))
	if err != nil {
		return "", fmt.Errorf("statement %s: %w", name, err)
	}
	if len(answer) > maxDump {
		return "", refuse("the statement is too large to be checked")
	}
	return string(bytes.TrimSuffix(answer, []byte("\n"))), nil
}
