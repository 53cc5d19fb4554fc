package docs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// block is a fenced code block of a Markdown file that is marked for testing.
type block struct {
	line   int    // of its opening fence
	script string // what a reader would paste into a shell
	// eventually: the script is repeated until it succeeds, because it reads
	// what an earlier one sent.
	eventually bool
	// output is what the script must print, line by line, nil when nothing is
	// said about it.
	output []string
}

// blocks reads the marked blocks of a Markdown text:
//
//	```sh test             run, must exit 0
//	```sh test eventually  repeated until it exits 0 and prints what is expected
//	```text output         directly after one of these: what it prints; … stands
//	                       for anything
func blocks(markdown io.Reader) ([]block, error) {
	var found []block
	var info string
	var content []string
	fenced, start := false, 0
	lines := bufio.NewScanner(markdown)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		if !strings.HasPrefix(strings.TrimSpace(text), "```") {
			if fenced {
				content = append(content, text)
			}
			continue
		}
		if !fenced {
			fenced, start, content = true, n, nil
			info = strings.TrimPrefix(strings.TrimSpace(text), "```")
			continue
		}
		fenced = false
		switch info {
		case "sh test", "sh test eventually":
			found = append(found, block{line: start, script: strings.Join(content, "\n"), eventually: info != "sh test"})
		case "text output":
			if len(found) == 0 || found[len(found)-1].output != nil {
				return nil, fmt.Errorf("line %d: a block of output without a block marked `sh test` before it", start)
			}
			found[len(found)-1].output = content
		default:
			if words := strings.Fields(info); len(words) > 1 && words[0] == "sh" {
				return nil, fmt.Errorf("line %d: info string %q: want sh, sh test or sh test eventually", start, info)
			}
		}
	}
	if fenced {
		return nil, fmt.Errorf("line %d: a code block without an end", start)
	}
	return found, lines.Err()
}

// mismatch says how printed differs from the block's expected output.
func (b block) mismatch(printed string) error {
	if b.output == nil {
		return nil
	}
	got := strings.Split(strings.TrimRight(printed, "\n"), "\n")
	if len(got) != len(b.output) {
		return fmt.Errorf("printed %d lines, the documentation shows %d:\n%s", len(got), len(b.output), printed)
	}
	var errs []error
	for i, want := range b.output {
		if !matches(want, got[i]) {
			errs = append(errs, fmt.Errorf("line %d: documented %q, printed %q", i+1, want, got[i]))
		}
	}
	return errors.Join(errs...)
}

// matches compares a line with a documented one in which … stands for anything.
func matches(documented, printed string) bool {
	parts := strings.Split(documented, "…")
	if len(parts) == 1 {
		return documented == printed
	}
	if !strings.HasPrefix(printed, parts[0]) {
		return false
	}
	rest := printed[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}
