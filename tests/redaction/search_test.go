package redaction_test

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// finder finds which secrets are in a text, all at once.
type finder struct {
	byPrefix map[string][]int // of a needle's first bytes, into secrets
	secrets  []secret
	found    map[int]map[string]bool // sources by secret
}

func newFinder(secrets []secret) *finder {
	f := &finder{byPrefix: map[string][]int{}, secrets: secrets, found: map[int]map[string]bool{}}
	for i, s := range secrets {
		for _, needle := range s.needles {
			prefix := needle[:needleBytes]
			f.byPrefix[prefix] = append(f.byPrefix[prefix], i)
		}
	}
	return f
}

func (f *finder) in(source, text string) {
	for at := 0; at+needleBytes <= len(text); at++ {
		for _, i := range f.byPrefix[text[at:at+needleBytes]] {
			for _, needle := range f.secrets[i].needles {
				if strings.HasPrefix(text[at:], needle) {
					if f.found[i] == nil {
						f.found[i] = map[string]bool{}
					}
					f.found[i][source] = true
				}
			}
		}
	}
}

var base64Run = regexp.MustCompile(`[A-Za-z0-9+/_-]{16,}`)

// decoded looks into a text and into what it is an encoding of.
func (f *finder) decoded(source, text string, depth int) {
	f.in(source, text)
	if depth == 0 {
		return
	}
	if plain, err := url.QueryUnescape(text); err == nil && plain != text {
		f.decoded(source, plain, depth-1)
	}
	if strings.Contains(text, `\`) {
		if plain, err := strconv.Unquote(`"` + strings.NewReplacer("\n", `\n`, "\r", `\r`, `\"`, `\"`, `"`, `\"`, `\/`, `/`).Replace(text) + `"`); err == nil && plain != text {
			f.decoded(source, plain, depth-1)
		}
	}
	for _, run := range base64Run.FindAllString(text, -1) {
		encoding := base64.RawStdEncoding
		if strings.ContainsAny(run, "-_") {
			encoding = base64.RawURLEncoding
		}
		if len(run)%4 == 1 {
			run = run[:len(run)-1]
		}
		if plain, err := encoding.DecodeString(run); err == nil && utf8.Valid(plain) {
			f.decoded(source, string(plain), depth-1)
		}
	}
}

// strings looks into every key and text of a JSON value.
func (f *finder) strings(source string, v any) {
	switch v := v.(type) {
	case string:
		f.decoded(source, v, 3)
	case []any:
		for _, e := range v {
			f.strings(source, e)
		}
	case map[string]any:
		for k, e := range v {
			f.decoded(source, k, 1)
			f.strings(source, e)
		}
	}
}

// everywhere searches all that a stack leaves behind: the tables, the files of the
// data directory, and what the processes wrote to their outputs.
func (f *finder) everywhere(t *testing.T, stack *harness.Stack) {
	t.Helper()
	tables := strings.Split(stack.ClickHouse.Query(t, "SELECT name FROM system.tables WHERE database = 'trackway' AND engine LIKE '%MergeTree' ORDER BY name"), "\n")
	require.Greater(t, len(tables), 8)
	for _, table := range tables {
		rows := stack.ClickHouse.Query(t, "SELECT * FROM trackway."+table+" FORMAT JSONEachRow")
		for row := range strings.Lines(rows) {
			var v any
			require.NoErrorf(t, json.Unmarshal([]byte(row), &v), "row of %s: %s", table, row)
			f.strings("table "+table, v)
		}
	}
	require.NoError(t, filepath.WalkDir(stack.Data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		relative, err := filepath.Rel(stack.Data, path)
		if err != nil {
			return err
		}
		// The store's files are compressed: they were read as tables.
		part, _, _ := strings.Cut(relative, string(filepath.Separator))
		if part == "store" {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f.in("file in "+part, string(content))
		if part == "deadletter" {
			f.decoded("file in "+part, string(content), 1)
		}
		return nil
	}))
	f.decoded("output of the processes", stack.Stderr(), 1)
}
