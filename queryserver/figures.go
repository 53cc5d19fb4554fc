package queryserver

import "github.com/danielgtaylor/huma/v2"

// registerFigures puts the endpoints that count, compare and follow records on the
// API.
func (a *api) registerFigures(h huma.API) {
	a.registerFacets(h)
	a.registerGroups(h)
	a.registerCompare(h)
	a.registerTrace(h)
	a.registerJourney(h)
	a.registerExport(h)
	a.registerServiceMap(h)
	a.registerMarkers(h)
	a.registerErrors(h)
	a.registerUsage(h)
	a.registerLedger(h)
}
