// Package keys runs the gateway's configuration against a real engine, query
// server and command line, and sends to it as agents do: with keys that are made,
// rotated and revoked, with more than projects may send, and with bodies that were
// made to exhaust it.
package keys
