// Package journalcmd is what `trackway journal` does to a journal that no collector
// has open.
package journalcmd
