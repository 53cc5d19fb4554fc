package deadletter

import "errors"

var (
	// ErrFull means that there is no room, within the limit or on the disk. Nothing
	// was changed; drop or replay entries, raise the limit or make room, and try again.
	ErrFull = errors.New("the dead letters have no room")
	// ErrLocked means that another process has the directory open.
	ErrLocked = errors.New("the dead letters are in use by another process")
	// ErrNotFound means that there is no entry of that id.
	ErrNotFound = errors.New("no such dead letter")
	// ErrClosed means that the store was closed.
	ErrClosed = errors.New("the dead letters are closed")
)
