// Package erase removes a person from a store and shows that nothing is left.
//
// A person is a correlation key with a value, in plain form and as a keyed hash.
// Records that carry the pair are deleted from every table, with their journey
// rows under other keys; tables that are found at run time, so that a new one
// cannot be forgotten. The proof does not trust the deletion: it reads every text
// of every table again, rows that are marked as deleted included.
package erase
