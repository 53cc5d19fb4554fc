package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/trackwayhq/trackway/cmd/internal/bench/stack"
	"github.com/trackwayhq/trackway/internal/freeport"
)

// profiled adds profiles to a collector and gives the address they are at.
func profiled(c stack.Config) (string, error) {
	listener, err := freeport.Listen(context.Background(), "127.0.0.1")
	if err != nil {
		return "", fmt.Errorf("an address for profiles: %w", err)
	}
	defer listener.Close()
	address := listener.Addr().String()
	c.Extension("pprof", stack.Config{"endpoint": address})
	return address, nil
}

// profile begins to profile the collector, which is now measured.
func (r *run) profile(ctx context.Context) {
	if r.pprof == "" {
		return
	}
	r.profiling = make(chan error, 1)
	go func() { r.profiling <- r.takeProfile(ctx) }()
}

// profiled waits for the profile.
func (r *run) profiled() error {
	if r.profiling == nil {
		return nil
	}
	return <-r.profiling
}

// unfit are characters that do not go into the name of a file.
var unfit = regexp.MustCompile(`[^a-z0-9]+`)

// takeProfile writes where the CPU went while measuring, and what is on the heap
// after it.
func (r *run) takeProfile(ctx context.Context) error {
	seconds := max(1, int(r.arm.spec.Duration))
	return errors.Join(
		r.fetch(ctx, fmt.Sprintf("profile?seconds=%d", seconds), "cpu"),
		r.fetch(ctx, "heap", "heap"),
	)
}

// fetch writes one profile to a file.
func (r *run) fetch(ctx context.Context, path, kind string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.pprof+"/debug/pprof/"+path, http.NoBody)
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("profile: %s answered %s", request.URL, response.Status)
	}
	if err := os.MkdirAll(r.options.Profile, 0o755); err != nil {
		return fmt.Errorf("--profile: %w", err)
	}
	name := strings.Trim(unfit.ReplaceAllString(r.arm.scenario+"-"+r.arm.name, "-"), "-") + "." + kind + ".pprof"
	file, err := os.Create(filepath.Join(r.options.Profile, name))
	if err != nil {
		return fmt.Errorf("--profile: %w", err)
	}
	_, err = io.Copy(file, response.Body)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	return nil
}
