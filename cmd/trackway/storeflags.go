package main

import (
	"os"

	"github.com/spf13/pflag"

	"github.com/trackwayhq/trackway/internal/clickhouse"
	"github.com/trackwayhq/trackway/internal/schema"
)

// storePasswordEnv holds the password at an endpoint; it never stands on the
// command line, where every user of the machine could read it.
const storePasswordEnv = "TRACKWAY_CLICKHOUSE_PASSWORD"

// storeFlags name the store that a command works on: that of a running `up`, or
// any ClickHouse endpoint.
type storeFlags struct {
	data, endpoint, user, database, cluster string
}

func (f *storeFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.data, "data", "", "data directory of the running `up` (default ~/.local/share/trackway)")
	flags.StringVar(&f.endpoint, "endpoint", "", "ClickHouse HTTP endpoint to use instead; its password is taken from "+storePasswordEnv)
	flags.StringVar(&f.user, "user", "default", "user at the endpoint")
	flags.StringVar(&f.database, "database", schema.DefaultDatabase, "database of the tables")
	flags.StringVar(&f.cluster, "cluster", "", "cluster of the endpoint's configuration (default: one server)")
}

// client gives the client of the store.
func (f *storeFlags) client() (*clickhouse.Client, error) {
	if f.endpoint != "" {
		return &clickhouse.Client{URL: f.endpoint, User: f.user, Password: os.Getenv(storePasswordEnv)}, nil
	}
	url, password, err := runningEngine(f.data)
	if err != nil {
		return nil, err
	}
	return &clickhouse.Client{URL: url, User: "default", Password: password}, nil
}

func (f *storeFlags) options() schema.Options {
	return schema.Options{Database: f.database, Cluster: f.cluster}
}
