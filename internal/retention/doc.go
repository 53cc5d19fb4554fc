// Package retention is how the exporter learns for how long each project keeps its
// records. The projects' own settings live in the query server's metadata, and
// come to the collector with the ingest keys; the component that fetches those is
// the provider, and needs to know nothing about the exporter.
package retention
