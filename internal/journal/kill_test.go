package journal

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test binary runs itself as the process that is killed.
const childEnv = "TRACKWAY_JOURNAL_TEST_CHILD"

const (
	killRounds = 5
	killValue  = 5 << 10
	// killWriters write at a time, each with its own keys.
	killWriters = 16
)

// runChild writes until it is killed, and prints each key once it is durable. Keys
// a hundred behind are deleted.
func runChild() int {
	j, err := Open(os.Getenv(childEnv), Options{SegmentBytes: 1 << 20, MaxBytes: 32 << 20, FlushInterval: 5 * time.Millisecond})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s, err := j.Space("s")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	start := 0
	for _, key := range s.Keys() {
		if _, n, ok := strings.Cut(key, "-"); ok {
			i, _ := strconv.Atoi(n)
			start = max(start, i+1)
		}
	}
	var out sync.Mutex
	var writers sync.WaitGroup
	for w := range killWriters {
		writers.Go(func() {
			for i := start; ; i++ {
				key := fmt.Sprintf("%d-%d", w, i)
				seq, err := s.Apply([]Op{{Kind: Set, Key: key, Value: bytes.Repeat([]byte(key+" "), killValue/(len(key)+1))}}, Now)
				if err == nil {
					err = j.Wait(context.Background(), seq)
				}
				if err == nil {
					_, err = s.Apply([]Op{{Kind: Delete, Key: fmt.Sprintf("%d-%d", w, i-100)}}, Lazy)
				}
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				out.Lock()
				fmt.Println(key)
				out.Unlock()
			}
		})
	}
	writers.Wait()
	return 0
}

func TestKilledProcessLosesNothing(t *testing.T) {
	dir := t.TempDir()
	last := map[string]int{} // the last key of each writer that was acknowledged
	for round := range killRounds {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"="+dir)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdout, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		acknowledged := 0
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			writer, n, ok := strings.Cut(lines.Text(), "-")
			if !ok {
				continue
			}
			i, err := strconv.Atoi(n)
			if err != nil {
				continue // the line was cut by the kill
			}
			last[writer] = max(last[writer], i)
			if acknowledged++; acknowledged == 2000+700*round {
				require.NoError(t, cmd.Process.Kill())
			}
		}
		_ = cmd.Wait()
		require.Empty(t, stderr.String())

		j, err := Open(dir, Options{SegmentBytes: 1 << 20, MaxBytes: 32 << 20})
		require.NoError(t, err)
		s := mustSpace(t, j, "s")
		for writer, i := range last {
			for k := max(i-98, 0); k <= i-1; k++ {
				key := fmt.Sprintf("%s-%d", writer, k)
				value := get(t, s, key)
				if assert.NotNil(t, value, "round %d: %s of %d is lost", round, key, i) {
					assert.Equal(t, bytes.Repeat([]byte(key+" "), killValue/(len(key)+1)), value)
				}
			}
		}
		require.NoError(t, j.Close())
	}
}
