// Package deadletter is what `trackway deadletter` does: it lists, shows, replays
// and drops dead letters, through the socket of a running collector or, where none
// runs, on the files.
package deadletter
