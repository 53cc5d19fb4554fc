package retention

import "go.opentelemetry.io/collector/component"

// Provider is an extension that knows projects.
type Provider interface {
	// TTLDays gives for how many days a project keeps raw records; ok is false for
	// a project without a setting of its own. It is called for every delivery.
	TTLDays(project string) (days uint16, ok bool)
}

// Find gives the extension that knows projects, nil if there is none.
func Find(host component.Host) Provider {
	for _, ext := range host.GetExtensions() {
		if p, ok := ext.(Provider); ok {
			return p
		}
	}
	return nil
}
