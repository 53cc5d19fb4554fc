// Package hostcheckextension keeps web pages away from receivers that nobody has
// to authenticate to. It is a middleware for HTTP servers of any component, such
// as the upstream OTLP receiver: requests with an Origin, and those that came by
// another name than this machine's, are answered 403.
package hostcheckextension
