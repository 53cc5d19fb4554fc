// Package projectauthextension authenticates senders by ingest keys and tells
// which project a key writes to. The keys are the query server's, which hands out
// their hashes; a copy on disk lets the collector start while the query server is
// away. Nothing here needs a database driver.
package projectauthextension
