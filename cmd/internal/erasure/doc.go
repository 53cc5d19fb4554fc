// Package erasure is `trackway erase`: it removes a person from a running
// collector, from the store and from the files of a data directory's journal and
// dead letters, and then searches all of them for what is left.
package erasure
