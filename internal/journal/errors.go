package journal

import (
	"errors"
	"fmt"
)

var (
	// ErrFull means that the journal has reached its size limit, or its disk has no
	// room. Nothing was changed; the same call succeeds once data was deleted or
	// room was made.
	ErrFull = errors.New("the journal is full")
	// ErrTooLarge means that a batch does not fit into a segment and never will.
	ErrTooLarge = errors.New("the batch is larger than a segment of the journal")
	// ErrClosed means that the journal or the space was closed.
	ErrClosed = errors.New("the journal is closed")
	// ErrLocked means that another process has the journal open.
	ErrLocked = errors.New("the journal is in use by another process")
	// ErrInUse means that the space is open already.
	ErrInUse = errors.New("the space is in use")
	// ErrCorrupt is wrapped by every CorruptError.
	ErrCorrupt = errors.New("the journal is corrupt")
	// ErrFailed means that a read, write or sync failed and the journal takes no
	// more operations; what was acknowledged is on disk.
	ErrFailed = errors.New("the journal has failed")
)

// CorruptError names the place at which data that was once on disk is wrong.
type CorruptError struct {
	File   string
	Offset int64
	Reason string
}

// Error names file and offset, what is wrong, and what to do.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s at offset %d: %s: the journal is corrupt; salvage what is readable into a new directory and move this one away", e.File, e.Offset, e.Reason)
}

// Unwrap makes errors.Is(err, ErrCorrupt) true.
func (e *CorruptError) Unwrap() error { return ErrCorrupt }
