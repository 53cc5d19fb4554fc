// Package correlationprocessor gives records their correlation keys: it copies
// named attributes, such as user.id, to correlation.<key>, such as
// correlation.user_id. By these keys everything that concerns one user, order or
// account is found later, across services and traces.
//
// It stands behind redaction, so that a masked value never becomes a key.
package correlationprocessor
