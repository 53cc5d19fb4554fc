// Package spanfile is the file in which a sender under test notes every span
// its SDK recorded: one JSON object a line, written by a span processor that
// knows nothing of Trackway. The tests compare the store with it, so that what
// is expected comes from the SDK and not from what the pipeline made of it.
//
// The Node sender writes the same form (nodeservice/spanfile.js).
package spanfile
