// Package demo makes and sends the traffic of a generic SaaS API: about forty
// routes over six services, customers with accounts, sessions and orders, traces
// with spans, business events, one incident and one release.
//
// It serves three purposes with one generator: something to look at on the first
// start, a history to query, and a load to measure with. Everything a seed
// decides is the same in every run; only the times differ.
package demo
