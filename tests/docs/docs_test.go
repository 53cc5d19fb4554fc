package docs

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

// patience is how long a block marked "eventually" is repeated.
const patience = 60 * time.Second

// pages are the Markdown files of the repository that readers are sent to.
func pages(t *testing.T) []string {
	t.Helper()
	root := harness.Root(t)
	found, err := filepath.Glob(filepath.Join(root, "*.md"))
	require.NoError(t, err)
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Ext(path) == ".md" {
			found = append(found, path)
		}
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, found)
	return found
}

// TestCommands runs the marked blocks of all pages, each page against the same
// running instance, in the order of the text.
func TestCommands(t *testing.T) {
	stack := harness.StartStack(t)
	// What readers see are the default addresses; the test's are others.
	address := func(url string) string { return strings.TrimPrefix(url, "http://") }
	real := strings.NewReplacer(
		"127.0.0.1:8080", address(stack.Query), "localhost:8080", address(stack.Query),
		"127.0.0.1:4317", stack.OTLPGRPC, "localhost:4317", stack.OTLPGRPC,
		"127.0.0.1:4318", address(stack.OTLPHTTP), "localhost:4318", address(stack.OTLPHTTP),
		"127.0.0.1:4319", address(stack.NDJSON), "localhost:4319", address(stack.NDJSON),
		"127.0.0.1:4320", address(stack.LiveTail),
		"127.0.0.1:8123", stack.ClickHouse.Addr, "localhost:8123", stack.ClickHouse.Addr,
		".data/", stack.Data+"/", "bin/trackway ", harness.Trackway(t)+" ",
	)
	ran := 0
	for _, page := range pages(t) {
		name, err := filepath.Rel(harness.Root(t), page)
		require.NoError(t, err)
		t.Run(name, func(t *testing.T) {
			file, err := os.Open(page)
			require.NoError(t, err)
			defer func() { _ = file.Close() }()
			marked, err := blocks(file)
			require.NoError(t, err, name)
			for _, b := range marked {
				ran++
				t.Run(fmt.Sprintf("line %d", b.line), func(t *testing.T) { b.run(t, real) })
			}
		})
	}
	assert.Positive(t, ran, "no block of any page is marked for testing")
}

// run executes the block as a reader's shell would.
func (b block) run(t *testing.T, real *strings.Replacer) {
	t.Helper()
	attempt := func() error {
		command := exec.CommandContext(t.Context(), "bash", "-eu", "-o", "pipefail", "-c", real.Replace(b.script))
		command.Dir = harness.Root(t)
		printed, err := command.Output()
		if err != nil {
			return fmt.Errorf("%w, printed:\n%s", err, printed)
		}
		return b.mismatch(string(printed))
	}
	err := attempt()
	for deadline := time.Now().Add(patience); err != nil && b.eventually && time.Now().Before(deadline); {
		time.Sleep(100 * time.Millisecond) // between two looks, not in place of one
		err = attempt()
	}
	assert.NoErrorf(t, err, "%s", b.script)
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinks wants every relative link of the pages to lead somewhere.
func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, match := range link.FindAllStringSubmatch(string(content), -1) {
			target, err := url.Parse(match[1])
			if err != nil || target.IsAbs() || target.Path == "" {
				continue
			}
			_, err = os.Stat(filepath.Join(filepath.Dir(page), target.Path))
			assert.NoErrorf(t, err, "%s links to %s", page, match[1])
		}
	}
}

func TestBlocks(t *testing.T) {
	text := "# x\n```sh\nnot run\n```\n```sh test\na\nb\n```\nand\n```text output\none … two\n```\n```sh test eventually\nc\n```\n"
	got, err := blocks(strings.NewReader(text))
	require.NoError(t, err)
	assert.Equal(t, []block{
		{line: 5, script: "a\nb", output: []string{"one … two"}},
		{line: 13, script: "c", eventually: true},
	}, got)

	for _, bad := range []string{"```sh tset\n```\n", "```text output\n```\n", "```sh test\n"} {
		_, err := blocks(strings.NewReader(bad))
		assert.Error(t, err, bad)
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		documented, printed string
		want                bool
	}{
		{"a", "a", true}, {"a", "b", false}, {"a…", "abc", true}, {"…c", "abc", true}, {"a…c", "abc", true},
		{"a…b…c", "a1b2c", true}, {"a…b…c", "a1c", false}, {"ab…ba", "aba", false}, {"…", "", true},
	} {
		assert.Equal(t, c.want, matches(c.documented, c.printed), "%q %q", c.documented, c.printed)
	}
}
