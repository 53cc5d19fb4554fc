package admin

import (
	"context"
	"net/http"

	"go.opentelemetry.io/collector/component"
)

// Registrar is a component that serves the socket.
type Registrar interface {
	// Serving says whether there is a socket. Without one the rest may be called, and
	// does nothing.
	Serving() bool
	// Handle adds a handler under a pattern of net/http's ServeMux; remove takes it
	// away again. A pattern that is taken is an error.
	Handle(pattern string, h http.Handler) (remove func(), err error)
	// HandleErasure adds a part of the collector that personal data has to be
	// removed from; remove takes it away again.
	HandleErasure(name string, erase Eraser) (remove func())
}

// Erasure names whose items are to be removed.
type Erasure struct {
	Project string `json:"project"`
	// Key and Value of a correlation key.
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Erased is what was removed from one part of the collector.
type Erased struct {
	Part string `json:"part"`
	// Items removed.
	Items int `json:"items"`
	// Error says why the part may still hold items; "" if it does not.
	Error string `json:"error,omitempty"`
}

// Eraser removes the items that carry the key from one part of the collector, and
// says how many. It returns when nothing of them is left there.
type Eraser func(ctx context.Context, e Erasure) (items int, err error)

// Find gives the extension that serves the socket, nil if there is none.
func Find(host component.Host) Registrar {
	for _, ext := range host.GetExtensions() {
		if r, ok := ext.(Registrar); ok && r.Serving() {
			return r
		}
	}
	return nil
}
