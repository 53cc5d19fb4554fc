package metadata

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
)

// FileName is the SQLite file's name in a data directory.
const FileName = "meta.db"

const (
	sqlitePrefix = "sqlite:"
	wantDSN      = "want sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE"
)

// FileDSN is the DSN of a SQLite file.
func FileDSN(path string) string { return sqlitePrefix + path }

// dsn is a parsed DSN: a SQLite file or Postgres settings.
type dsn struct {
	file     string // absolute; "" for Postgres
	postgres *pgx.ConnConfig
}

// CheckDSN says what is wrong with a DSN, without its password.
func CheckDSN(s string) error {
	_, err := parseDSN(s)
	return err
}

// DescribeDSN names the database for people: the file, or the server without
// the password.
func DescribeDSN(s string) string {
	d, err := parseDSN(s)
	if err != nil {
		return "an unreadable DSN"
	}
	return d.String()
}

func (d dsn) String() string {
	if d.file != "" {
		return d.file
	}
	c := d.postgres
	return fmt.Sprintf("Postgres database %s on %s:%d", c.Database, c.Host, c.Port)
}

// parseDSN reads sqlite:FILE (also sqlite://FILE) or a URL of Postgres with any
// setting of its client library.
func parseDSN(s string) (dsn, error) {
	switch {
	case s == "":
		return dsn{}, errors.New(wantDSN + ", got nothing")
	case strings.HasPrefix(s, sqlitePrefix):
		path := strings.TrimPrefix(strings.TrimPrefix(s, sqlitePrefix), "//")
		if path == "" || strings.HasPrefix(path, ":") || strings.ContainsRune(path, 0) {
			return dsn{}, fmt.Errorf("%s: want a file after %s, got %q", wantDSN, sqlitePrefix, path)
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			return dsn{}, fmt.Errorf("SQLite file %s: %w", path, err)
		}
		return dsn{file: abs}, nil
	case strings.HasPrefix(s, "postgres://"), strings.HasPrefix(s, "postgresql://"):
		config, err := pgx.ParseConfig(s) // its error hides the password
		if err != nil {
			return dsn{}, fmt.Errorf("%s: %w", wantDSN, err)
		}
		return dsn{postgres: config}, nil
	}
	scheme, _, found := strings.Cut(s, ":")
	if !found || len(scheme) > 16 {
		return dsn{}, errors.New(wantDSN) // it may be a password: not repeated
	}
	return dsn{}, fmt.Errorf("%s, got one that starts with %q", wantDSN, scheme+":")
}

// sqliteURI opens a file the way this package needs: several processes wait for
// each other, a committed change survives a power failure, and a transaction
// that will write says so when it begins.
func sqliteURI(file string) string {
	u := url.URL{Path: file}
	query := url.Values{
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
			"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
		},
		"_txlock": {"immediate"},
	}
	return "file:" + u.EscapedPath() + "?" + query.Encode()
}
