// Package store owns the data directory around the embedded engine: who may
// use it, which format it has, whether it was closed cleanly, and the one
// repair the engine does not make itself after an unclean stop.
//
// Open runs before the engine opens its files and Close after it has closed
// them. Between the two a marker in the directory says that the store is in
// use; a marker found at Open means that the engine was killed. Then the
// deduplication logs are checked (see check): the engine writes a block's
// deduplication record before it renames the block's part into place, so a
// kill between the two leaves a token that is refused for ever although its
// rows were never stored.
package store
