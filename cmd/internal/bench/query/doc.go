// Package query is `trackway bench query`: it builds a reference set (package
// reference) or goes on with one, starts engine and query server on it, asks the
// API what people ask, and the store the same without the planner, and reports
// latencies, what was read, and whether answers were right.
package query
