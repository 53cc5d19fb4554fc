package migrate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/trackwayhq/trackway/internal/schema"
)

// NewerError says that a store's schema is that of a newer release.
type NewerError struct {
	Database   string
	Have, Know int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("database %s has schema version %d, this release knows %d: upgrade the collector", e.Database, e.Have, e.Know)
}

// ChangedError says that a step was applied in another form than this release has
// it: the store was made by a build that was never released, or changed by hand.
type ChangedError struct {
	Database   string
	Version    int
	Name       string
	Have, Want string // checksums
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("database %s: schema step %d (%s) was applied in another form (checksum %s, this release has %s): "+
		"use the build that made this store, or move its data to a new one", e.Database, e.Version, e.Name, e.Have, e.Want)
}

// SingleError says that a store whose tables are those of one server was to be used
// as a cluster's.
type SingleError struct{ Database, Cluster string }

func (e *SingleError) Error() string {
	return fmt.Sprintf("database %s holds the tables of one server, not those of cluster %s: take another database for the cluster, "+
		"and copy the rows", e.Database, e.Cluster)
}

// Refused says whether an error means that this release cannot use the store,
// however often it tries.
func Refused(err error) bool {
	var newer *NewerError
	var changed *ChangedError
	var single *SingleError
	return errors.As(err, &newer) || errors.As(err, &changed) || errors.As(err, &single)
}

// Plan is what is to be sent to a store, in order.
type Plan struct {
	Database   string
	Have, Want int // versions; Have is 0 where there is no schema
	Statements []Statement
}

// Statement is one statement of a plan.
type Statement struct {
	schema.Statement
	// Step says what it is part of: "create", or number and name of a step.
	Step string
}

// UpToDate says whether nothing is to be done.
func (p Plan) UpToDate() bool { return len(p.Statements) == 0 }

// Make asks a store for its version and says what is to be sent. It sends
// nothing that changes the store.
func Make(ctx context.Context, query Query, o schema.Options) (Plan, error) {
	p := Plan{Database: schema.Database(o), Want: schema.Version}
	steps, err := schema.Steps(o)
	if err != nil {
		return p, err
	}
	have, err := read(ctx, query, o)
	if err != nil {
		return p, err
	}
	p.Have = have.version
	if have.version > schema.Version {
		return p, &NewerError{Database: p.Database, Have: have.version, Know: schema.Version}
	}
	if o.Cluster != "" && have.version > 0 {
		answer, err := query(ctx, "SELECT count() FROM system.tables WHERE database = '"+o.LocalDatabase()+"'")
		if err != nil {
			return p, fmt.Errorf("looking for the cluster's tables: %w", err)
		}
		if strings.TrimSpace(answer) == "0" {
			return p, &SingleError{Database: p.Database, Cluster: o.Cluster}
		}
	}
	if have.version == 0 {
		o.CreateDatabase = true
		stmts, err := schema.Statements(o)
		if err != nil {
			return p, err
		}
		p.add("create", stmts...)
		return p, nil
	}
	for _, step := range steps {
		if step.Version <= have.version {
			if sum := have.checksums[step.Version]; sum != "" && sum != step.Checksum {
				return p, &ChangedError{Database: p.Database, Version: step.Version, Name: step.Name, Have: sum, Want: step.Checksum}
			}
			continue
		}
		name := fmt.Sprintf("%d %s", step.Version, step.Name)
		p.add(name, step.Statements...)
		if step.Version == schema.Version {
			p.add(name, schema.Distributed(o)...)
		}
		p.add(name, schema.Mark(o, step))
	}
	return p, nil
}

func (p *Plan) add(step string, stmts ...schema.Statement) {
	for _, s := range stmts {
		p.Statements = append(p.Statements, Statement{Statement: s, Step: step})
	}
}
