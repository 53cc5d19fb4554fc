package metadata

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What a caller may want to tell apart. The texts around them name the place.
var (
	// ErrInvalid: a value is not acceptable; the text says what is.
	ErrInvalid = errors.New("not acceptable")
	// ErrNotFound: there is no such project or key.
	ErrNotFound = errors.New("not found")
	// ErrConflict: it exists already, or its state does not allow the change.
	ErrConflict = errors.New("conflict")
	// ErrFull: the database has no room on its disk. What is stored is whole, and
	// changes work again when there is room.
	ErrFull = errors.New("no room on the disk")
	// ErrNewer: the database was migrated by a newer program.
	ErrNewer = errors.New("made by a newer version")
)

// kindError is a sentence of its own that errors.Is finds a kind in.
type kindError struct {
	kind error
	text string
}

func (e *kindError) Error() string { return e.text }
func (e *kindError) Unwrap() error { return e.kind }

func invalid(format string, args ...any) error {
	return &kindError{ErrInvalid, fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &kindError{ErrNotFound, fmt.Sprintf(format, args...)}
}

func conflict(format string, args ...any) error {
	return &kindError{ErrConflict, fmt.Sprintf(format, args...)}
}

// diskFull is SQLSTATE 53100.
const diskFull = "53100"

// explain says in which database something failed, and what can be done where
// that is known. Errors of this package's own pass unchanged.
func (s *Store) explain(err error) error {
	if err == nil {
		return nil
	}
	var own *kindError
	if errors.As(err, &own) {
		return err
	}
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		switch code := lite.Code(); {
		case code&0xff == sqlite3.SQLITE_FULL, code == sqlite3.SQLITE_IOERR_SHMSIZE, code == sqlite3.SQLITE_IOERR_WRITE:
			return fmt.Errorf("metadata store %s: %w: free some and try again: %w", s.place, ErrFull, err)
		case code&0xff == sqlite3.SQLITE_BUSY:
			return fmt.Errorf("metadata store %s: another process has been writing for %s: try again: %w", s.place, busyTimeout, err)
		case code&0xff == sqlite3.SQLITE_CORRUPT, code&0xff == sqlite3.SQLITE_NOTADB:
			return fmt.Errorf("metadata store %s is damaged or no SQLite database: put a backup in its place: %w", s.place, err)
		}
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == diskFull {
		return fmt.Errorf("metadata store %s: %w: free some and try again: %w", s.place, ErrFull, err)
	}
	return fmt.Errorf("metadata store %s: %w", s.place, err)
}
