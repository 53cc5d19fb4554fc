package pipelinecheckextension

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Types of components that the rules are about.
const (
	otlpReceiver        = "otlp"
	rollupExporter      = "clickhouse_rollup"
	projectProcessor    = "project"
	redactionProcessor  = "request_redaction"
	correlateProcessor  = "correlation"
	admissionMiddleware = "admission"
)

// unsafe are processors that must not stand in front of the exporter, and why.
var unsafe = map[string]string{
	"batch":          "it answers senders before their data is stored and drops what fails: remove it, the exporter forms units of insert itself",
	"memory_limiter": "its refusals are 503 without a delay: remove it, the admission extension bounds memory and answers 429",
	"tail_sampling":  "it answers senders before their data is stored and holds traces in memory: sample before the collector, or accept that a stop loses them",
	"groupbytrace":   "it answers senders before their data is stored and holds traces in memory: remove it",
}

// finding is something wrong with a configuration, and its key.
type finding struct{ at, text string }

// check looks at a whole configuration.
func check(config map[string]any) []finding {
	pipelines := section(section(config, "service"), "pipelines")
	var findings []finding
	for _, name := range slices.Sorted(maps.Keys(pipelines)) {
		pipeline := section(pipelines, name)
		if !slices.ContainsFunc(names(pipeline["exporters"]), func(id string) bool { return typeOf(id) == rollupExporter }) {
			continue
		}
		for _, text := range checkProcessors(names(pipeline["processors"])) {
			findings = append(findings, finding{"service::pipelines::" + name + "::processors", text})
		}
	}
	receivers := section(config, "receivers")
	for _, name := range slices.Sorted(maps.Keys(receivers)) {
		if typeOf(name) != otlpReceiver {
			continue // others inflate streams only
		}
		if text := checkServer(at(at(receivers[name], "protocols"), "http")); text != "" {
			findings = append(findings, finding{"receivers::" + name + "::protocols::http", text})
		}
	}
	return findings
}

// checkProcessors looks at the processors in front of the exporter.
func checkProcessors(ids []string) []string {
	var found []string
	if len(ids) == 0 || typeOf(ids[0]) != projectProcessor {
		found = append(found, fmt.Sprintf("want %s first: the authentication context does not survive what comes before, and without it senders choose their project", projectProcessor))
	}
	position := map[string]int{}
	for i, id := range ids {
		position[typeOf(id)] = i
		if why := unsafe[typeOf(id)]; why != "" {
			found = append(found, id+": "+why)
		}
	}
	redaction, redacts := position[redactionProcessor]
	if correlation, ok := position[correlateProcessor]; ok && redacts && correlation < redaction {
		found = append(found, fmt.Sprintf("%s: want it behind %s, or secrets become correlation keys before they are masked", correlateProcessor, redactionProcessor))
	}
	return found
}

// checkServer looks at an HTTP server with the admission middleware.
func checkServer(server any) string {
	middlewares, _ := at(server, "middlewares").([]any)
	admitted := slices.ContainsFunc(middlewares, func(m any) bool {
		id, _ := at(m, "id").(string)
		return typeOf(id) == admissionMiddleware
	})
	algorithms, set := at(server, "compression_algorithms").([]any)
	if !admitted || set && !slices.Contains(algorithms, any("snappy")) {
		return ""
	}
	return "compression_algorithms: want [], or no snappy among them: the server inflates such bodies whole before admission bounds them"
}

// at is a member of a map, nil where there is none.
func at(value any, key string) any {
	m, _ := value.(map[string]any)
	return m[key]
}

func section(config map[string]any, key string) map[string]any {
	m, _ := config[key].(map[string]any)
	return m
}

// names is a list of strings as YAML gives it.
func names(list any) []string {
	items, _ := list.([]any)
	var out []string
	for _, item := range items {
		if name, ok := item.(string); ok {
			out = append(out, name)
		}
	}
	return out
}

// typeOf is the type in a component's id, type or type/name.
func typeOf(id string) string {
	t, _, _ := strings.Cut(id, "/")
	return t
}
