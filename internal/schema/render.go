package schema

import (
	"fmt"
	"strings"
	"text/template"
)

// params are what the .sql files may refer to.
type params struct {
	DB            string // database of the tables that hold rows
	FacetIndex    string // type of the index on facet_items
	Durable       string // settings that make an insert exact and synced
	Compact       string // settings that spare an insert files
	RollupTTLDays int
}

// compactBytes is the size below which a part keeps all its columns in one file. Each
// file of a part is created and synced by itself, which for a unit of insert costs more
// than its rows; what is read often has been merged into larger parts.
const compactBytes = 128 << 20

func (o Options) params() params {
	p := params{
		DB:            o.LocalDatabase(),
		FacetIndex:    "text(tokenizer = 'array') GRANULARITY 100000000",
		Durable:       fmt.Sprintf("non_replicated_deduplication_window = %d, fsync_after_insert = 1, fsync_part_directory = 1", dedupWindow),
		Compact:       fmt.Sprintf("min_bytes_for_wide_part = %d", compactBytes),
		RollupTTLDays: DefaultRollupTTLDays,
	}
	if o.NoTextIndex {
		p.FacetIndex = "bloom_filter(0.01) GRANULARITY 1"
	}
	if o.Cluster != "" {
		p.Durable = fmt.Sprintf("replicated_deduplication_window = %d, replicated_deduplication_window_seconds = %d, "+
			"fsync_after_insert = 1, fsync_part_directory = 1", dedupWindow, dedupSeconds)
	}
	return p
}

// render fills in a statement of an .sql file. Lines that are comments are left
// out: they explain the file, and what is sent is golden-tested without them.
func render(o Options, name, text string) (string, error) {
	if err := o.validate(); err != nil {
		return "", err
	}
	t, err := template.New(name).Option("missingkey=error").Parse(text)
	if err != nil {
		return "", fmt.Errorf("schema statement %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, o.params()); err != nil {
		return "", fmt.Errorf("schema statement %s: %w", name, err)
	}
	var kept []string
	for line := range strings.SplitSeq(b.String(), "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "--") {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n")), nil
}
