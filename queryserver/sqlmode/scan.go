package sqlmode

import "strings"

// oddNames are characters that names may not have. Descriptions of a statement show
// names as they are: one with a line break, a bracket or a comma could pass for
// something else.
const oddNames = "(),'\"`\\"

// checkNames refuses statements with odd names. text is as the engine writes
// statements: on one line, without comments, names in backquotes where need be.
func checkNames(text string) error {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c < ' ' || c == 0x7f:
			return refuse("the statement has a control character outside of text")
		case c == '"':
			return refuse("the statement has a name in a form this release does not know")
		case c == '\'':
			end := closing(text, i)
			if end < 0 {
				return refuse("the statement has a text without an end")
			}
			i = end
		case c == '`':
			end := closing(text, i)
			if end < 0 {
				return refuse("the statement has a name without an end")
			}
			name := text[i+1 : end]
			if name == "" || strings.ContainsAny(name, oddNames) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 }) {
				return refuse("the name `%s` has a character that names cannot have here: give it another with AS", name)
			}
			i = end
		}
	}
	return nil
}

// closing is where the quote that begins at i ends; -1 when it does not.
func closing(text string, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			return i
		}
	}
	return -1
}
