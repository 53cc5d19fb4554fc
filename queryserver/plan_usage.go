package queryserver

import (
	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// usagePlan is the statements of a project's usage, which can run side by side.
// The window is of whole days, UTC.
type usagePlan struct {
	days    clickhouse.Query // by day, what the delivery ledger says of items and rows
	traffic clickhouse.Query // by day and service, requests and their bodies' bytes
	disk    clickhouse.Query // by day and table, rows and bytes of all projects
}

func planUsage(project string, w window) usagePlan {
	plan := func(name string) clickhouse.Query {
		p := newParams(project)
		return clickhouse.Query{Name: name, SQL: render(name, map[string]any{
			"From": p.seconds(w.From.Unix()), "To": p.seconds(w.To.Unix()),
		}), Params: p.values}
	}
	return usagePlan{days: plan("usage_days"), traffic: plan("usage_traffic"), disk: plan("usage_disk")}
}
