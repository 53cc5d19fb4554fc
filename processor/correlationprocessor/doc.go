// Package correlationprocessor gives records their correlation keys, attributes
// correlation.<key> such as correlation.user_id: from attributes, captured headers,
// baggage, paths, queries and bodies of the record and its resource, and from
// records of the same trace that came before. By these keys everything that
// concerns one user, order or account is found later, across services and traces.
//
// It stands behind redaction, so that a masked value never becomes a key.
package correlationprocessor
