package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trackwayhq/trackway/cmd/internal/projects"
	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// metadataFlags name the metadata store that a command works on.
type metadataFlags struct {
	source  projects.Source
	jsonOut bool
}

func (f *metadataFlags) add(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.StringVar(&f.source.Data, "data", "", "data directory of `up`, running or not (default ~/.local/share/trackway)")
	flags.StringVar(&f.source.Config, "config", "", "configuration file of the query server, to use its metadata.dsn")
	flags.StringVar(&f.source.DSN, "dsn", "", "metadata store: sqlite:FILE or postgres://USER@HOST:PORT/DATABASE; its password is taken from PGPASSWORD (default: TRACKWAY_METADATA_DSN, where set)")
	flags.BoolVar(&f.jsonOut, "json", false, "print JSON")
}

// use opens the store for the time of do.
func (f *metadataFlags) use(ctx context.Context, do func(*metadata.Store) error) error {
	store, err := f.source.Open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// oneArg wants one argument and says what it is.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("want %s, got %d arguments: `%s --help` shows how", what, len(args), cmd.CommandPath())
		}
		return nil
	}
}

// days is a flag that takes a duration in which d stands for a day.
type days time.Duration

func (d *days) String() string { return time.Duration(*d).String() }
func (*days) Type() string     { return "duration" }

func (d *days) Set(s string) error {
	if n, found := strings.CutSuffix(s, "d"); found {
		count, err := strconv.ParseUint(n, 10, 16)
		if err != nil {
			return fmt.Errorf("want a duration such as 90d or 24h, got %q", s)
		}
		*d = days(count) * days(24*time.Hour)
		return nil
	}
	parsed, err := time.ParseDuration(s)
	if err != nil || parsed < 0 {
		return fmt.Errorf("want a duration such as 90d or 24h, got %q", s)
	}
	*d = days(parsed)
	return nil
}
