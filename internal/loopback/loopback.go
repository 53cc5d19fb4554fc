// Package loopback tells what only this machine can reach. Where nobody has to
// authenticate, servers listen on loopback and check the Host header: a web page's
// owner can make a name resolve to 127.0.0.1, and the browser then takes a local
// server for the page's own.
package loopback

import (
	"net"
	"slices"
	"strings"
)

// dockerHost is how containers of Docker Desktop call the machine they run on.
// Nobody can register a name under .internal.
const dockerHost = "host.docker.internal"

// Endpoint says whether an address to listen on, host:port, is loopback.
func Endpoint(endpoint string) bool {
	host, _, err := net.SplitHostPort(endpoint)
	return err == nil && named(host)
}

// Host says whether a Host header, with or without a port, names this machine or
// one of the names allowed beside it.
func Host(header string, allowed []string) bool {
	host := header
	if h, _, err := net.SplitHostPort(header); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	return named(host) || strings.EqualFold(host, dockerHost) ||
		slices.ContainsFunc(allowed, func(name string) bool { return strings.EqualFold(name, host) })
}

func named(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
