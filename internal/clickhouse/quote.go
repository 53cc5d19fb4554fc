package clickhouse

import "strings"

// String makes a string literal of any text.
func String(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// Identifier makes a quoted identifier of any name.
func Identifier(s string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(s) + "`"
}

var unescape = strings.NewReplacer(
	`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r", `\b`, "\b", `\f`, "\f", `\0`, "\x00", `\'`, "'")

// Rows splits a TabSeparated answer into rows of unescaped values.
func Rows(answer string) [][]string {
	if answer == "" {
		return nil
	}
	var rows [][]string
	for line := range strings.SplitSeq(answer, "\n") {
		row := strings.Split(line, "\t")
		for i := range row {
			row[i] = unescape.Replace(row[i])
		}
		rows = append(rows, row)
	}
	return rows
}
