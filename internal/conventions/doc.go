// Package conventions names the attributes by which our components understand
// each other across the pipeline: what the receiver and the processors write
// and the exporter reads. Everything else travels under the names of the
// OpenTelemetry semantic conventions, so that upstream processors work on it.
package conventions
