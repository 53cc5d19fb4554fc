package storetest

import (
	"fmt"
	"strings"
)

// Script is a parsed script.
type Script struct {
	Name     string
	Commands []Command
}

// Command is one command of a script with its block.
type Command struct {
	Line  int    // where it starts, from 1
	Verb  string // load, eval, expect, set
	Args  []string
	Block []BlockLine
}

// BlockLine is one indented line.
type BlockLine struct {
	Line int
	Text string
}

// arity is the fewest and the most arguments of each verb.
var arity = map[string][2]int{"load": {0, 0}, "eval": {1, 64}, "expect": {1, 3}, "set": {2, 2}}

// Parse reads a script.
func Parse(name, text string) (*Script, error) {
	s := &Script{Name: name}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		trimmed := strings.TrimLeft(line, " \t")
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case trimmed != line:
			if len(s.Commands) == 0 {
				return nil, fmt.Errorf("%s:%d: an indented line belongs to a command, and there is none above", name, i+1)
			}
			c := &s.Commands[len(s.Commands)-1]
			c.Block = append(c.Block, BlockLine{Line: i + 1, Text: trimmed})
		default:
			c, err := parseCommand(trimmed)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
			}
			c.Line = i + 1
			s.Commands = append(s.Commands, c)
		}
	}
	for _, c := range s.Commands {
		if len(c.Block) > 0 && c.Verb != "load" && (c.Verb != "expect" || len(c.Args) != 1) {
			return nil, fmt.Errorf("%s:%d: %s takes no indented lines here", name, c.Block[0].Line, c.Verb)
		}
	}
	return s, nil
}

func parseCommand(line string) (Command, error) {
	words, err := fields(line)
	if err != nil {
		return Command{}, err
	}
	c := Command{Verb: words[0], Args: words[1:]}
	n, known := arity[c.Verb]
	if !known {
		return c, fmt.Errorf("%q is no command; there are load, eval, expect and set", c.Verb)
	}
	if len(c.Args) < n[0] || len(c.Args) > n[1] {
		return c, fmt.Errorf("%s takes %d to %d arguments, got %d", c.Verb, n[0], n[1], len(c.Args))
	}
	return c, nil
}

// fields splits a line at spaces, outside of double quotes and backquotes, which
// stay in the words.
func fields(line string) ([]string, error) {
	var out []string
	var word strings.Builder
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0:
			word.WriteByte(c)
			if c == '\\' && quote == '"' && i+1 < len(line) {
				i++
				word.WriteByte(line[i])
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '`':
			quote = c
			word.WriteByte(c)
		case c == ' ' || c == '\t':
			if word.Len() > 0 {
				out = append(out, word.String())
				word.Reset()
			}
		default:
			word.WriteByte(c)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a %c is not closed", quote)
	}
	if word.Len() > 0 {
		out = append(out, word.String())
	}
	return out, nil
}
