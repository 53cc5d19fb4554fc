// Package size measures what the stored records take on disk: for each table,
// index, journey and rollup, and divided by the number of requests, which is the
// figure that plans a disk.
package size
