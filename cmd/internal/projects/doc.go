// Package projects is what the commands `trackway project` and `trackway key`
// have in common: finding the metadata store that an installation uses, naming
// who changes it, and printing what is in it.
package projects
