// Package senders proves, with real instrumented services, that what an SDK
// recorded is what the store answers with: the same ids, parents, routes,
// statuses, times and attributes, found by every way the API offers and seen
// live.
package senders
