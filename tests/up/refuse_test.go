package up

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/tests/harness"
)

func TestTakenPortIsNamedWithItsFlag(t *testing.T) {
	for _, flag := range []string{"--listen", "--otlp-grpc", "--otlp-http", "--ndjson", "--engine-listen", "--live-tail", "--health"} {
		t.Run(flag, func(t *testing.T) {
			taken, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer func() { _ = taken.Close() }()
			said := refused(t, filepath.Join(t.TempDir(), "data"), flag, taken.Addr().String())
			assert.Contains(t, said, taken.Addr().String())
			assert.Contains(t, said, "is in use by another program")
			assert.Contains(t, said, "choose another port with "+flag)
		})
	}
}

func TestDataDirectoryInUse(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	i := start(t, data)
	said := refused(t, data)
	assert.Contains(t, said, "data directory "+data+" is in use")
	assert.Contains(t, said, i.state(t).URLs["ui"])
	assert.Contains(t, said, "--data")
}

func TestStoreInUseByAnEngineAlone(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	engine := harness.Start(t, "engine", []string{"TRACKWAY_ENGINE_PASSWORD=x"}, harness.Trackway(t),
		"engine", "--data", data, "--listen", "127.0.0.1:0", "--library", harness.Library(t))
	engine.Ready(t)
	said := refused(t, data)
	assert.Contains(t, said, "the engine did not start")
	assert.Contains(t, said, data)
	assert.Contains(t, said, "--data")
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	empty := t.TempDir()
	notALibrary := filepath.Join(empty, "libchdb.so")
	require.NoError(t, os.WriteFile(notALibrary, []byte("no library"), 0o600))
	for name, test := range map[string]struct {
		flags []string
		want  []string
	}{
		"collector":     {[]string{"--collector", "/no/such/collector"}, []string{"/no/such/collector", "--collector"}},
		"configuration": {[]string{"--config-dir", empty}, []string{"standalone.yaml is missing", "--config-dir"}},
		"library":       {[]string{"--library", "/no/such/libchdb.so"}, []string{"/no/such/libchdb.so", "--library"}},
		"no library":    {[]string{"--library", notALibrary}, []string{notALibrary}},
		"address":       {[]string{"--ndjson", "nonsense"}, []string{"--ndjson", "want a port"}},
		"foreign data":  {[]string{"--data", filepath.Dir(notALibrary)}, []string{"is not empty and holds no Trackway data", "--data"}},
		"memory":        {[]string{"--memory", "2GB"}, []string{"--memory: want a number of bytes, such as 2147483648, got 2GB"}},
		"no data":       {[]string{"--data", ""}, []string{"--data: want a directory, got nothing"}},
		"data":          {[]string{"--data", filepath.Join(notALibrary, "x")}, []string{"--data"}},
	} {
		t.Run(name, func(t *testing.T) {
			said := refused(t, filepath.Join(t.TempDir(), "data"), test.flags...)
			for _, want := range test.want {
				assert.Contains(t, said, want)
			}
		})
	}
}
