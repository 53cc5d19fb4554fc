package queryserver

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trackwayhq/trackway/internal/filter"
	"github.com/trackwayhq/trackway/internal/golden"
	"github.com/trackwayhq/trackway/internal/record"
)

// What filters become in SQL, in testdata/plan/where.sql. Rewrite with -update.
func TestWherePlans(t *testing.T) {
	var b strings.Builder
	for _, text := range []string{
		"status:5xx -service:api",
		"status IN (500, 502) OR NOT (route = '/a' AND method != 'GET')",
		"duration:>1.5s response_bytes:1MiB..2MiB",
		"user_id:u_1137",
		"retries:>3",
		"retries IN (1, 'x')",
		"attributes['n'] NOT IN (1, 2.5, 'x', '')",
		"attributes['http.route'] LIKE '/a/%'",
		"resource.service.name:api",
		"route:/projects/* name LIKE '%a%' path LIKE '%.js' path LIKE '/a_c%'",
		"error_message ILIKE '%timed out%' OR error_message ILIKE '%task%' OR error_message !~ '(?i)task \\\\d+.'",
		"\"timed out\" task 500",
		"EXISTS route EXISTS user_id EXISTS attributes.plan EXISTS trace_id EXISTS error_group EXISTS status EXISTS ts",
		"trace_id IN ('4bf92f3577b34da6a3ce929d0e0e4736', '4bf92f3577b34da6a3ce929d0e0e4737') error_group != '00000000000000ff'",
		"type:request (type:event OR severity:9) -message:x",
		"status > -1 OR status = 0.5",
	} {
		for _, kind := range []record.Kind{record.Request, record.Event} {
			p := newParams("default")
			where := compileWhere(filter.Conjuncts(mustParse(t, text)), kind, p)
			fmt.Fprintf(&b, "-- %ss where %s\n", kind, text)
			for _, name := range slices.Sorted(maps.Keys(p.values)) {
				if name != "project" {
					fmt.Fprintf(&b, "--   %s = %q\n", name, p.values[name])
				}
			}
			b.WriteString(strings.TrimPrefix(where, "\n") + "\n\n")
		}
	}
	golden.Equal(t, filepath.Join("testdata", "plan", "where.sql"), b.String())
}
