package up

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"github.com/trackwayhq/trackway/internal/freeport"
)

// endpoint is one address of Addresses with the words errors use for it.
type endpoint struct {
	what string
	flag string
	addr *string
}

func (a *Addresses) endpoints() []endpoint {
	return []endpoint{
		{"OTLP over gRPC", "--otlp-grpc", &a.OTLPGRPC},
		{"OTLP over HTTP", "--otlp-http", &a.OTLPHTTP},
		{"NDJSON", "--ndjson", &a.NDJSON},
		{"the live tail", "--live-tail", &a.LiveTail},
		{"the collector's health check", "--health", &a.Health},
		{"the API and UI", "--listen", &a.Query},
		{"the engine", "--engine-listen", &a.Engine},
	}
}

// settle replaces port 0 by free ports and checks that the others can be
// listened on.
//
// All ports are held until every one is found, so that no two endpoints get the
// same one.
func (a *Addresses) settle(ctx context.Context) error {
	for _, e := range a.endpoints() {
		host, port, err := net.SplitHostPort(*e.addr)
		if err != nil {
			return fmt.Errorf("%s %s: %w", e.flag, *e.addr, err)
		}
		listener, err := listen(ctx, host, port)
		if err != nil {
			return portError(e, err)
		}
		defer listener.Close()
		*e.addr = net.JoinHostPort(host, strconv.Itoa(listener.Addr().(*net.TCPAddr).Port))
	}
	return nil
}

func listen(ctx context.Context, host, port string) (net.Listener, error) {
	if port == "0" {
		return freeport.Listen(ctx, host)
	}
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", net.JoinHostPort(host, port))
}

func portError(e endpoint, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s for %s is in use by another program: stop that program, or choose another port with %s (%s 0 takes a free one)",
			*e.addr, e.what, e.flag, e.flag)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("no permission to listen on %s for %s: choose a port above 1023 with %s", *e.addr, e.what, e.flag)
	}
	return fmt.Errorf("cannot listen on %s for %s: choose another address with %s: %w", *e.addr, e.what, e.flag, err)
}
