package projectprocessor

import (
	"fmt"

	"go.opentelemetry.io/collector/component"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// Config of the project processor.
type Config struct {
	// DefaultProject is taken when the authentication context names no project.
	// Empty means that such data is refused.
	DefaultProject string `mapstructure:"default_project"`

	// AuthAttribute is the attribute of the authentication context that names
	// the project.
	AuthAttribute string `mapstructure:"auth_attribute"`

	// Ledger is the extension that counts what becomes of traces and logs. Without
	// one nothing is counted.
	Ledger *component.ID `mapstructure:"ledger"`

	// prevent unkeyed literal initialization
	_ struct{}
}

func createDefaultConfig() component.Config {
	return &Config{AuthAttribute: conventions.Project}
}

// Validate speaks in the keys of the configuration.
func (c *Config) Validate() error {
	if c.DefaultProject != "" && !conventions.ValidProject(c.DefaultProject) {
		return fmt.Errorf("default_project: want 1 to 40 characters of a-z, 0-9 and -, got %q", c.DefaultProject)
	}
	if c.AuthAttribute == "" {
		return fmt.Errorf("auth_attribute: want the name of an attribute of the authentication context, got nothing; leave the key out for %q", conventions.Project)
	}
	return nil
}
