package schema

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Step brings a database from one version to the next.
type Step struct {
	// Version is the version that the database has afterwards.
	Version int
	// Name says what the step does, in the words of its file's name.
	Name string
	// Checksum is that of the file as it was released, rendered or not: 16 hex
	// digits.
	Checksum string
	// Statements can each be repeated, alone and from the first on: a step that was
	// interrupted starts anew.
	Statements []Statement
}

// baseline is the version before the first step, which the first release created.
var baseline = Step{Version: 1, Name: "baseline"}

var stepFile = regexp.MustCompile(`^(\d{4})_([a-z0-9_]+)\.sql$`)

// Steps renders the steps to the current version, in their order.
func Steps(o Options) ([]Step, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	entries, err := migrations.ReadDir("migrations") // sorted by name
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	steps := make([]Step, 0, len(entries))
	for _, entry := range entries {
		m := stepFile.FindStringSubmatch(entry.Name())
		if m == nil {
			return nil, fmt.Errorf("migration %s: want a name such as 0002_add_column.sql", entry.Name())
		}
		text, err := migrations.ReadFile("migrations/" + entry.Name())
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", entry.Name(), err)
		}
		version, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", entry.Name(), err)
		}
		if want := baseline.Version + 1 + len(steps); version != want {
			return nil, fmt.Errorf("migration %s: want number %04d", entry.Name(), want)
		}
		step := Step{Version: version, Name: strings.ReplaceAll(m[2], "_", " "), Checksum: checksum(text)}
		if step.Statements, err = stepStatements(o, entry.Name(), string(text)); err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

func checksum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// createLine stands for the statements that create a table or view in the form
// that the current version has: "CREATE trackway_keys".
var createLine = regexp.MustCompile(`^CREATE (\w+)$`)

// stepStatements splits a step's file at the semicolons that end lines.
func stepStatements(o Options, file, text string) ([]Statement, error) {
	var out []Statement
	for part := range strings.SplitSeq(text+"\n", ";\n") {
		sql, err := render(o, file, part)
		if err != nil {
			return nil, err
		}
		if sql == "" {
			continue
		}
		if m := createLine.FindStringSubmatch(sql); m != nil {
			stmts, err := create(o, m[1])
			if err != nil {
				return nil, fmt.Errorf("migration %s: %w", file, err)
			}
			out = append(out, stmts...)
			continue
		}
		name := ""
		if m := alterTable.FindStringSubmatch(sql); m != nil {
			name = m[3]
		}
		out = append(out, onCluster(o, Statement{Name: name, SQL: sql})...)
	}
	return out, nil
}

// Mark records steps as done, those that are not yet.
func Mark(o Options, steps ...Step) Statement {
	rows := make([]string, len(steps))
	for i, s := range steps {
		rows[i] = fmt.Sprintf("(%d, '%s', '%s')", s.Version, s.Name, s.Checksum)
	}
	table := o.database() + "." + versionTable
	return Statement{Name: versionTable + "_insert", SQL: fmt.Sprintf(
		"INSERT INTO %s (version, name, checksum)\nSELECT step.1, step.2, step.3\n"+
			"FROM (SELECT arrayJoin([%s]) AS step)\nWHERE step.1 NOT IN (SELECT version FROM %s)",
		table, strings.Join(rows, ", "), table)}
}
