// Package reference makes the reference set that `trackway bench query` asks about,
// and keeps it in a data directory.
//
// Every record is a function of seed and index alone: a build that was killed goes
// on where it stopped and stores the same rows, and whoever wants to know what a
// filter must find makes the records again. Records go to the store as the
// collector's do: in units, through columns.Batch and columns.Encoder, so that
// journey, trace index, facets and rollups are what the collector would have
// written.
package reference
