package stack

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Config is a collector configuration as YAML has it.
type Config map[string]any

// ReadConfig reads the configuration that `trackway up` ships with.
func ReadConfig(dir string) (Config, error) {
	path := filepath.Join(dir, "standalone.yaml")
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("collector configuration: %w", err)
	}
	var c Config
	if err := yaml.Unmarshal(content, &c); err != nil {
		return nil, fmt.Errorf("collector configuration %s: %w", path, err)
	}
	return c, nil
}

// ParseConfig reads a configuration from its text.
func ParseConfig(text string) (Config, error) {
	var c Config
	if err := yaml.Unmarshal([]byte(text), &c); err != nil {
		return nil, fmt.Errorf("collector configuration: %w", err)
	}
	return c, nil
}

// Set puts a value at a path of keys, making maps on the way.
func (c Config) Set(value any, path ...string) {
	at := c
	for _, key := range path[:len(path)-1] {
		at = at.child(key)
	}
	at[path[len(path)-1]] = value
}

// Get is what stands at a path of keys; nil when nothing does.
func (c Config) Get(path ...string) any {
	at := c
	for _, key := range path[:len(path)-1] {
		next := asConfig(at[key])
		if next == nil {
			return nil
		}
		at = next
	}
	return at[path[len(path)-1]]
}

// Has says whether a path of keys is there, with a value or without.
func (c Config) Has(path ...string) bool {
	at := c
	if len(path) > 1 {
		at = asConfig(c.Get(path[:len(path)-1]...))
	}
	_, found := at[path[len(path)-1]]
	return found
}

// Remove takes away what stands at a path of keys.
func (c Config) Remove(path ...string) {
	if at := asConfig(c.Get(path[:len(path)-1]...)); at != nil {
		delete(at, path[len(path)-1])
	}
}

func (c Config) child(key string) Config {
	next := asConfig(c[key])
	if next == nil {
		next = Config{}
	}
	c[key] = next
	return next
}

func asConfig(v any) Config {
	switch m := v.(type) {
	case Config:
		return m
	case map[string]any:
		return m
	}
	return nil
}

// Extension adds an extension and starts it with the service.
func (c Config) Extension(name string, settings Config) {
	c.Set(settings, "extensions", name)
	list, _ := c.Get("service", "extensions").([]any)
	c.Set(append(slices.Clone(list), any(name)), "service", "extensions")
}

// Processors replaces the processors of traces and logs, and takes away those that
// nobody uses any more.
func (c Config) Processors(names ...any) {
	c.Set(names, "service", "pipelines", "traces", "processors")
	c.Set(names, "service", "pipelines", "logs", "processors")
	used := map[any]bool{}
	for name := range asConfig(c.Get("service", "pipelines")) {
		list, _ := c.Get("service", "pipelines", name, "processors").([]any)
		for _, p := range list {
			used[p] = true
		}
	}
	if all := asConfig(c["processors"]); all != nil {
		kept := maps.Clone(all)
		maps.DeleteFunc(kept, func(name string, _ any) bool { return !used[name] })
		c["processors"] = kept
	}
}

// write puts the configuration where `trackway up` looks for it.
func (c Config) write(dir string) error {
	content, err := yaml.Marshal(c)
	if err != nil {
		return fmt.Errorf("collector configuration: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "standalone.yaml"), content, 0o600)
}
