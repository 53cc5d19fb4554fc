package size

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGroupOfTable(t *testing.T) {
	for table, want := range map[string]string{
		"requests": "records", "spans": "records", "events": "records", "journey": "journey", "trace_index": "trace index",
		"lat_m": "rollups", "cnt_h": "rollups", "facets": "facets", "otel_metrics_sum": "other", "schema_version": "other",
	} {
		assert.Equal(t, want, group(table), table)
	}
}

func TestReportDividesByRequests(t *testing.T) {
	r := Report{
		Requests: 100, Bytes: 15_000,
		Tables: []Table{
			{Name: "requests", Group: "records", Rows: 100, Bytes: 7000, Parts: 1},
			{Name: "spans", Group: "records", Rows: 400, Bytes: 6000, Parts: 2},
			{Name: "lat_m", Group: "rollups", Rows: 20, Bytes: 2000, Parts: 1},
		},
		Indexes: []Index{{Table: "requests", Name: "ix_corr", Type: "bloom_filter(0.01)", Bytes: 250}},
		Columns: []Column{{Table: "requests", Name: "trace_id", Bytes: 1600}, {Table: "lat_m", Name: "cnt", Bytes: 5}},
	}
	var text bytes.Buffer
	require.NoError(t, r.WriteText(&text, true))
	lines := map[string][]string{}
	for line := range strings.Lines(text.String()) {
		if fields := strings.Fields(line); len(fields) > 0 {
			lines[fields[0]] = fields
		}
	}
	assert.Equal(t, []string{"requests", "records", "100", "7000", "1", "70.0", "70.0"}, lines["requests"])
	assert.Equal(t, []string{"spans", "records", "400", "6000", "2", "15.0", "60.0"}, lines["spans"])
	assert.Equal(t, []string{"records", "13000", "130.0"}, lines["records"])
	assert.Equal(t, []string{"everything", "15000", "150.0"}, lines["everything"])
	assert.Equal(t, []string{"requests.ix_corr", "bloom_filter(0.01)", "250", "2.5"}, lines["requests.ix_corr"])
	assert.Equal(t, []string{"requests.trace_id", "1600", "16.0"}, lines["requests.trace_id"])
	assert.NotContains(t, lines, "lat_m.cnt")
	require.NoError(t, Report{}.WriteText(&text, false), "an empty store has no bytes per request")
}

func TestQuoteMakesAnIdentifier(t *testing.T) {
	assert.Equal(t, "`a`", quote("a"))
	assert.Equal(t, "`a\\`b\\\\c`", quote("a`b\\c"))
}
