package query

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/bench/reference"
	"github.com/trackwayhq/trackway/cmd/internal/bench/stack"
	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
)

// ErrUnfinished says that the build stopped at its limit: the same command goes on.
var ErrUnfinished = errors.New("the reference set is not complete: run the same command again to go on")

// passwordEnv is how an engine is told its password.
const passwordEnv = "TRACKWAY_ENGINE_PASSWORD"

// stopEngine is how long an engine may take to stop.
const stopEngine = 2 * time.Minute

// set builds the reference set of a data directory, or what it misses.
func (b *Bench) set(ctx context.Context) (m *reference.Manifest, err error) {
	o := &b.options
	m, err = reference.Load(o.Dir)
	switch {
	case errors.Is(err, reference.ErrNone):
		end := time.Now().UTC().Truncate(24 * time.Hour)
		if m, err = reference.NewManifest(reference.Spec{Seed: o.Seed, Rows: o.Rows, Days: reference.DefaultDays, End: end}); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(o.Dir, 0o700); err != nil {
			return nil, fmt.Errorf("--data: %w", err)
		}
		left, err := os.ReadDir(o.Dir)
		if err != nil {
			return nil, fmt.Errorf("--data: %w", err)
		}
		if len(left) > 0 {
			return nil, fmt.Errorf("--data %s: holds other things than a reference set: want a new directory", o.Dir)
		}
	case err != nil:
		return nil, err
	case m.Rows != o.Rows || m.Seed != o.Seed:
		return nil, fmt.Errorf("--data %s: holds a reference set of %d rows and seed %d, not %d and %d: name another directory", o.Dir, m.Rows, m.Seed, o.Rows, o.Seed)
	}
	if m.Complete() && m.Settled {
		return m, nil
	}
	if err := checkDisk(o.Dir, m); err != nil {
		return nil, err
	}
	engine, endpoint, err := b.startEngine()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, engine.Stop(stopEngine)) }()
	started := time.Now()
	builder := reference.Builder{Dir: o.Dir, Engine: endpoint, Limit: o.BuildLimit, Say: b.say}
	if err := builder.Build(ctx, m); err != nil {
		return nil, err
	}
	if !m.Complete() {
		b.say("reference set: %d of %d chunks stored", m.Stored(), m.Chunks)
		return nil, ErrUnfinished
	}
	if o.BuildLimit > 0 {
		if builder.Limit -= time.Since(started); builder.Limit <= 0 {
			return nil, ErrUnfinished
		}
	}
	settled, err := builder.Settle(ctx, m, o.Optimize)
	if err == nil && !settled {
		err = ErrUnfinished
	}
	return m, err
}

// startEngine runs an engine alone on the set's data directory.
func (b *Bench) startEngine() (*stack.Child, clickhouse.Endpoint, error) {
	o := &b.options
	password := fmt.Sprintf("bench-%d", os.Getpid())
	args := []string{"engine", "--data", o.Dir, "--listen", "127.0.0.1:0"}
	if o.Library != "" {
		args = append(args, "--library", o.Library)
	}
	if o.Memory != "" {
		args = append(args, "--memory", o.Memory)
	}
	child, err := stack.StartChild("engine", []string{passwordEnv + "=" + password}, b.self, args...)
	if err != nil {
		return nil, clickhouse.Endpoint{}, err
	}
	var ready struct{ Listen string }
	if err := child.Hear(&ready); err != nil {
		return nil, clickhouse.Endpoint{}, errors.Join(err, child.Stop(stopEngine))
	}
	return child, clickhouse.Endpoint{URL: "http://" + ready.Listen, User: "default", Password: password, Database: "trackway"}, nil
}

// bytesPerRequest is about what a request takes on disk with everything that
// belongs to it, and what merges need beside it.
const bytesPerRequest = 400

// checkDisk refuses to fill a disk.
func checkDisk(dir string, m *reference.Manifest) error {
	free, err := freeBytes(dir)
	if err != nil {
		return fmt.Errorf("--data %s: %w", dir, err)
	}
	left := float64(m.Chunks-m.Stored()) / float64(m.Chunks)
	if need := uint64(left * float64(m.Rows) * bytesPerRequest); free < need {
		return fmt.Errorf("--data %s: about %d GB are needed and %d GB are free: name a directory on another disk, or fewer --rows", filepath.Clean(dir), need/1e9+1, free/1e9)
	}
	return nil
}
