package stack

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const configuration = `
extensions:
  health_check: {endpoint: "${env:HEALTH:-127.0.0.1:13133}"}
processors:
  project: {default_project: default}
  request_redaction:
  correlation:
service:
  extensions: [health_check]
  pipelines:
    traces: {receivers: [otlp], processors: [project, request_redaction, correlation], exporters: [a]}
    logs: {receivers: [otlp], processors: [project, request_redaction, correlation], exporters: [a]}
    metrics: {receivers: [otlp], processors: [project, request_redaction], exporters: [b]}
`

func TestConfigurationsAreChanged(t *testing.T) {
	c, err := ParseConfig(configuration)
	require.NoError(t, err)
	c.Processors("project")
	c.Extension("pprof", Config{"endpoint": "127.0.0.1:1"})
	c.Set("s", "exporters", "a", "sending_queue", "storage")

	dir := t.TempDir()
	require.NoError(t, c.write(dir))
	back, err := ReadConfig(dir)
	require.NoError(t, err)
	assert.Equal(t, []any{"project"}, back.Get("service", "pipelines", "traces", "processors"))
	assert.Equal(t, []any{"project"}, back.Get("service", "pipelines", "logs", "processors"))
	assert.Equal(t, []any{"project", "request_redaction"}, back.Get("service", "pipelines", "metrics", "processors"))
	processors := asConfig(back["processors"])
	assert.Contains(t, processors, "request_redaction", "metrics still use it")
	assert.NotContains(t, processors, "correlation")
	assert.Equal(t, []any{"health_check", "pprof"}, back.Get("service", "extensions"))
	assert.Equal(t, "${env:HEALTH:-127.0.0.1:13133}", back.Get("extensions", "health_check", "endpoint"))
	assert.Equal(t, "s", back.Get("exporters", "a", "sending_queue", "storage"))
	back.Remove("exporters", "a", "sending_queue", "storage")
	assert.Nil(t, back.Get("exporters", "a", "sending_queue", "storage"))
	assert.Nil(t, back.Get("no", "such", "path"))
	assert.True(t, back.Has("processors", "request_redaction"), "without a value")
	assert.False(t, back.Has("processors", "correlation"))
	assert.False(t, back.Has("no", "such", "path"))
}

func TestUsageIsThatOfTheKernel(t *testing.T) {
	u, err := ReadUsage(os.Getpid())
	require.NoError(t, err)
	var kernel syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &kernel))
	assert.LessOrEqual(t, u.CPU, time.Duration(kernel.Utime.Nano()+kernel.Stime.Nano())+time.Second/ticks)
	assert.Greater(t, u.RSS, int64(1<<20))
	assert.GreaterOrEqual(t, u.Peak, u.RSS)
	busy, err := ReadBusy()
	require.NoError(t, err)
	assert.GreaterOrEqual(t, busy.All, u.CPU, "this process is a part of all")
	gone := exec.Command("true")
	require.NoError(t, gone.Run())
	_, err = ReadUsage(gone.Process.Pid)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestChildrenSpeakLines(t *testing.T) {
	c, err := StartChild("echo", []string{"ADDED=there"}, "/bin/sh", "-c", `read line; printf '{"said":%s,"env":"%s"}\n' "$line" "$ADDED"; echo last words >&2`)
	require.NoError(t, err)
	require.NoError(t, c.Say("hello"))
	var heard struct{ Said, Env string }
	require.NoError(t, c.Hear(&heard))
	assert.Equal(t, "hello", heard.Said)
	assert.Equal(t, "there", heard.Env)
	<-c.exited
	err = c.Hear(&heard)
	require.ErrorContains(t, err, "the echo ended")
	require.ErrorContains(t, err, "last words")
	require.NoError(t, c.Stop(time.Second))
}

func TestAChildThatDoesNotStopIsKilled(t *testing.T) {
	c, err := StartChild("stubborn", nil, "/bin/sh", "-c", `trap '' TERM; echo '{}'; while :; do sleep 0.05; done`)
	require.NoError(t, err)
	var ready struct{}
	require.NoError(t, c.Hear(&ready))
	assert.ErrorContains(t, c.Stop(50*time.Millisecond), "was killed")
	assert.ErrorIs(t, syscall.Kill(c.PID(), 0), syscall.ESRCH)
}
