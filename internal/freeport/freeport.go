// Package freeport finds ports for programs that cannot be told to take any.
//
// A port the kernel picks (port 0) comes from its range for outgoing connections,
// so between closing it and listening again anybody's connection may get it. A
// port below that range is taken only by who asks for it by number.
package freeport

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
)

// The ports tried: above the well-known services, below 32768, where Linux'
// range for outgoing connections begins.
const (
	first = 20_000
	last  = 32_767
)

// tries bounds the search on a machine where something forbids listening at all.
const tries = 100

// Listen listens on a free port of host. Whoever only wants the number closes
// the listener before passing it on.
func Listen(ctx context.Context, host string) (net.Listener, error) {
	var config net.ListenConfig
	var err error
	for range tries {
		var l net.Listener
		port := first + rand.IntN(last-first+1)
		if l, err = config.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port))); err == nil {
			return l, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("no free port on %s after %d tries: %w", host, tries, err)
}
