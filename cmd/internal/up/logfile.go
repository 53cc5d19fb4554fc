package up

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/trackwayhq/trackway/internal/pause"
)

// maxLogSize is where a child's log is put aside (as NAME.log.1) when the child
// starts: two files of this size hold days of what the children say.
const maxLogSize = 16 << 20

// logFile is a child's stderr: a file the child writes itself. A pipe through
// `up` would break when `up` is killed, and the first line a child then logs
// during its clean stop would end it by SIGPIPE.
type logFile struct {
	path string

	mu    sync.Mutex
	file  *os.File
	start int64 // where the output of the current process begins
}

// openLogFile opens the log for appending.
func openLogFile(path string) (*logFile, error) {
	l := &logFile{path: path}
	return l, l.open()
}

func (l *logFile) open() error {
	file, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("log file: %w", err)
	}
	l.file = file
	return nil
}

// rotate is called before each start of the child: it puts a large file aside
// and remembers where the new process's output begins.
func (l *logFile) rotate() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := l.file.Stat()
	if err != nil {
		return fmt.Errorf("log file: %w", err)
	}
	l.start = info.Size()
	if info.Size() < maxLogSize {
		return nil
	}
	if err := os.Rename(l.path, l.path+".1"); err != nil {
		return fmt.Errorf("log file: %w", err)
	}
	old := l.file
	if err := l.open(); err != nil {
		return err
	}
	l.start = 0
	return old.Close()
}

func (l *logFile) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

// lastLine is the last line the current process wrote, "" when there is none.
// It is what a user should read when a child does not start.
func (l *logFile) lastLine() string {
	const tail = 8 << 10
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := l.file.Stat()
	if err != nil {
		return ""
	}
	from := max(l.start, info.Size()-tail)
	content := make([]byte, max(info.Size()-from, 0))
	n, err := l.file.ReadAt(content, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	lines := bytes.Split(bytes.TrimSpace(content[:n]), []byte("\n"))
	return strings.TrimSpace(string(lines[len(lines)-1]))
}

// follow copies what is added to the log to out, each line after the prefix,
// until ctx ends.
func (l *logFile) follow(ctx context.Context, prefix string, out io.Writer) {
	l.mu.Lock()
	at := l.start
	l.mu.Unlock()
	var current *os.File
	for ended := false; ; ended = pause.For(ctx, 100*time.Millisecond) != nil {
		l.mu.Lock()
		if current != nil && current != l.file {
			at = 0
		}
		current = l.file
		at += copyLines(io.NewSectionReader(current, at, 1<<62), prefix, out)
		l.mu.Unlock()
		if ended { // after the last lines were copied
			return
		}
	}
}

// copyLines copies whole lines and returns their length; a last line without an
// end is left for the next call.
func copyLines(from io.Reader, prefix string, to io.Writer) (read int64) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return read
		}
		read += int64(len(line))
		fmt.Fprintf(to, "%s%s", prefix, line)
	}
}
