package hostcheckextension

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"

	"github.com/trackwayhq/trackway/internal/loopback"
)

type hostCheck struct {
	component.StartFunc
	component.ShutdownFunc
	cfg *Config
}

var _ extensionmiddleware.HTTPServer = (*hostCheck)(nil)

// GetHTTPHandler wraps the handler of a server.
func (h *hostCheck) GetHTTPHandler(context.Context) (extensionmiddleware.WrapHTTPHandlerFunc, error) {
	return func(_ context.Context, next http.Handler) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := h.check(r); err != nil {
				http.Error(w, err.Error(), http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
		}), nil
	}, nil
}

func (h *hostCheck) check(r *http.Request) error {
	if origin := r.Header.Get("Origin"); origin != "" && !slices.Contains(h.cfg.AllowedOrigins, origin) {
		return fmt.Errorf("requests of web pages (Origin: %s) are refused: add it to allowed_origins of host_check, or configure authentication", origin)
	}
	if !loopback.Host(r.Host, h.cfg.AllowedHosts) {
		return fmt.Errorf("host %q is not this machine: add it to allowed_hosts of host_check, or configure authentication", r.Host)
	}
	return nil
}
