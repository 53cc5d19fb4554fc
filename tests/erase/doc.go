// Package erase shows that `trackway erase` leaves nothing of a person on a machine
// that runs `trackway up`: not in tables, not in part files, not in the journal,
// not in the dead letters; and that others' records stay.
package erase
