// Package livetail hands records to those who watch them arrive. The exporter
// publishes, the live_tail extension serves; this package is what lies between,
// so that neither imports the other.
package livetail
