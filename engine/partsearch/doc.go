// Package partsearch looks for texts in files as they lie on the disk: the part
// files of a store, decompressed block by block, and any other file as it is.
//
// It knows nothing about tables and asks no engine, which is its use: what it does
// not find is not there, whatever the engine believes.
package partsearch
