package queryserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/sync/errgroup"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

type usageInput struct {
	ProjectParam
	WindowParams
}

// Usage is what a project sent and what of it is stored, by day.
type Usage struct {
	From     time.Time      `json:"from" doc:"Days are whole, UTC."`
	To       time.Time      `json:"to"`
	Days     []UsageDay     `json:"days" doc:"Oldest first; days without anything are left out."`
	Services []UsageService `json:"services" doc:"Requests by service, most frequent first, at most 100."`
	Stats    Stats          `json:"stats"`
}

// UsageDay is one day.
type UsageDay struct {
	Day         string           `json:"day" format:"date"`
	Received    int64            `json:"received" doc:"Items: spans and log records as they arrived."`
	Rejected    int64            `json:"rejected"`
	Stored      int64            `json:"stored"`
	DeadLetter  int64            `json:"dead_letter"`
	Removed     int64            `json:"removed" doc:"Items that a processor of the pipeline took out."`
	Dropped     map[string]int64 `json:"dropped,omitempty" doc:"By reason."`
	Requests    int64            `json:"requests" doc:"Rows."`
	Spans       int64            `json:"spans" doc:"Rows."`
	Events      int64            `json:"events" doc:"Rows."`
	BodyBytes   uint64           `json:"body_bytes" doc:"Sizes of the requests' and responses' bodies, as senders report them."`
	StoredBytes *uint64          `json:"stored_bytes,omitempty" doc:"Bytes on disk, an estimate: the project's share of each table's rows of the day. Absent where the store does not tell."`
}

// UsageService is the requests of one service.
type UsageService struct {
	Service   string `json:"service"`
	Requests  uint64 `json:"requests"`
	BodyBytes uint64 `json:"body_bytes"`
}

const (
	wholeDay = 24 * time.Hour
	// defaultUsage is how far usage looks back unless told.
	defaultUsage = 30 * wholeDay
	// maxUsage is as long as rollups are kept, and more.
	maxUsage         = 800 * wholeDay
	maxUsageServices = 100
)

func (a *api) registerUsage(h huma.API) {
	huma.Register(h, get("usage", "usage", "Items, rows and bytes by day"), a.usage)
}

func (a *api) usage(ctx context.Context, in *usageInput) (*answer[Usage], error) {
	w, err := in.resolve(a.now(), defaultUsage)
	if err != nil {
		return nil, err
	}
	w = window{floor(w.From, wholeDay), ceil(w.To, wholeDay)}
	if w.Span() > maxUsage {
		return nil, badParameter("from", in.From, fmt.Errorf("want at most %d days, got %d", maxUsage/wholeDay, w.Span()/wholeDay))
	}
	u := usageSums{days: map[uint32]*UsageDay{}, services: map[string]*UsageService{}}
	if err := a.sumUsage(ctx, planUsage(in.Project, w), &u); err != nil {
		return nil, err
	}
	out := u.answer()
	out.From, out.To, out.Stats = w.From, w.To, statsOf(u.stats)
	return &answer[Usage]{Body: out}, nil
}

// usageSums is what the statements add up to.
type usageSums struct {
	days     map[uint32]*UsageDay // by start, seconds since 1970
	services map[string]*UsageService
	disk     []tableDay
	stats    clickhouse.Stats
}

// tableDay is what all projects have of a table on a day.
type tableDay struct {
	day         uint32
	table       string
	rows, bytes uint64
}

func (a *api) sumUsage(ctx context.Context, plan usagePlan, u *usageSums) error {
	type trafficRow struct {
		day             uint32
		service         string
		requests, bytes uint64
	}
	var traffic []trafficRow
	var stats [3]clickhouse.Stats
	var diskErr error
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		stats[0], err = a.ask(gctx, plan.days, func(r *clickhouse.Reader) {
			d := u.day(r.Uint32())
			d.Received, d.Rejected, d.Stored, d.DeadLetter, d.Removed = r.Int64(), r.Int64(), r.Int64(), r.Int64(), r.Int64()
			d.Requests, d.Spans, d.Events = r.Int64(), r.Int64(), r.Int64()
			for range r.Len() {
				if d.Dropped == nil {
					d.Dropped = map[string]int64{}
				}
				reason := r.String()
				d.Dropped[reason] = r.Int64()
			}
		})
		return err
	})
	g.Go(func() (err error) {
		stats[1], err = a.ask(gctx, plan.traffic, func(r *clickhouse.Reader) {
			traffic = append(traffic, trafficRow{r.Uint32(), r.String(), r.Uint64(), r.Uint64()})
		})
		return err
	})
	g.Go(func() error {
		// The user of a server may not be allowed to see it: then it is left out.
		stats[2], diskErr = a.store.Select(gctx, plan.disk, func(r *clickhouse.Reader) {
			u.disk = append(u.disk, tableDay{r.Uint32(), r.String(), r.Uint64(), r.Uint64()})
		})
		return nil
	})
	if err := g.Wait(); err != nil {
		return err
	}
	if diskErr != nil {
		u.disk = nil
	}
	for _, s := range stats {
		u.stats.Add(s)
	}
	for _, row := range traffic {
		u.day(row.day).BodyBytes += row.bytes
		s := u.services[row.service]
		if s == nil {
			s = &UsageService{Service: row.service}
			u.services[row.service] = s
		}
		s.Requests, s.BodyBytes = s.Requests+row.requests, s.BodyBytes+row.bytes
	}
	return nil
}

func (u *usageSums) day(start uint32) *UsageDay {
	d := u.days[start]
	if d == nil {
		d = &UsageDay{Day: time.Unix(int64(start), 0).UTC().Format(time.DateOnly)}
		u.days[start] = d
	}
	return d
}

func (u *usageSums) answer() Usage {
	for _, t := range u.disk {
		if d := u.days[t.day]; d != nil {
			rows := map[string]int64{"requests": d.Requests, "spans": d.Spans, "events": d.Events}[t.table]
			share := min(float64(max(rows, 0))/float64(max(t.rows, 1)), 1)
			bytes := uint64(share * float64(t.bytes))
			if d.StoredBytes != nil {
				bytes += *d.StoredBytes
			}
			d.StoredBytes = &bytes
		}
	}
	out := Usage{Days: []UsageDay{}, Services: []UsageService{}}
	for _, d := range u.days {
		out.Days = append(out.Days, *d)
	}
	slices.SortFunc(out.Days, func(a, b UsageDay) int { return strings.Compare(a.Day, b.Day) })
	for _, s := range u.services {
		out.Services = append(out.Services, *s)
	}
	slices.SortFunc(out.Services, func(a, b UsageService) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Service, b.Service))
	})
	out.Services = out.Services[:min(len(out.Services), maxUsageServices)]
	return out
}
