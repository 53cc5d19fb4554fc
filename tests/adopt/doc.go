// Package adopt shows that `trackway migrate adopt` turns a store of the upstream
// clickhouseexporter into what the same data gives when it is sent to Trackway
// directly, whatever is killed on the way, and that it finds rows that come late.
package adopt
