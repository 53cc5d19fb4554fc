// Package api asks a running Trackway questions whose answers the test computes
// itself from what it sent: listings page by page, filters, histograms, the
// overview, heatmaps and journeys must all agree with a plain loop over the
// items.
package api
