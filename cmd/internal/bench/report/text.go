package report

import (
	"fmt"
	"io"
	"strings"
)

// Line is a point in one line, for progress.
func (p *Point) Line() string {
	l := p.Sent.Latency
	text := fmt.Sprintf("%s/s (stored %s/s)  p50 %s  p99 %s ms  collector %.2f µs, %s  engine %.1f µs", count(p.EventsPerSecond), count(p.StoredPerSecond), ms(l.P50), ms(l.P99),
		p.Process("collector").MicrosPerEvent, mib(p.Process("collector").PeakRSS), p.Process("engine").MicrosPerEvent)
	if len(p.Wrong) > 0 {
		text += "  WRONG: " + strings.Join(p.Wrong, "; ")
	}
	return text
}

// head is what the figures depend on.
func (r *Report) head() [][2]string {
	v := r.Versions
	trackway := v.Trackway
	if v.Commit != "" {
		trackway += ", commit " + v.Commit
	}
	return [][2]string{
		{"machine", r.Machine.String()},
		{"disk", r.Disk.String()},
		{"load before", fmt.Sprintf("%.2f", r.LoadBefore)},
		{"trackway", trackway},
		{"collector", v.Collector},
		{"engine", "ClickHouse " + v.Engine},
		{"Go", v.Go},
		{"started", r.StartedAt.Format("2006-01-02 15:04:05 UTC")},
		{"took", fmt.Sprintf("%.0f s", r.Seconds)},
		{"command", r.Command},
	}
}

// tables are the figures: a title, the names of the columns, and the rows.
func (r *Report) tables() []Table {
	list := []Table{throughput(r.Points), latency(r.Points), budget(r.Points), memory(r.Points), store(r.Points)}
	if t := tails(r.Points); len(t.Rows) > 0 {
		list = append(list, t)
	}
	if len(r.Gates) > 0 {
		list = append(list, gates(r.Gates))
	}
	return list
}

func (p *Point) name() []string { return []string{p.Scenario, p.Arm} }

func throughput(points []*Point) Table {
	t := Table{
		Title: "Throughput", Text: 4, Columns: []string{"scenario", "arm", "items", "loop", "senders", "batch", "offered/s", "accepted/s", "stored/s", "requests/s", "429", "asked to wait s", "503", "failed", "unsent", "drain s"},
		Note: "Items accepted a second while measuring; stored, from the first body until everything accepted is stored: an endpoint that puts off work accepts more than it keeps up with. Unsent bodies were due in an open loop and never sent. Drain is the time from the last answer until everything accepted is stored.",
	}
	for _, p := range points {
		s, m := p.Settings, p.Sent.Measured
		offered := "-"
		if s.Rate > 0 {
			offered = count(s.Rate)
		}
		items := s.Format + " " + s.Mix
		if s.SpreadDays > 0 {
			items += fmt.Sprintf(", %d days", s.SpreadDays)
		}
		if s.Projects > 1 {
			items += fmt.Sprintf(", %d projects", s.Projects)
		}
		wait := "-"
		if r := p.Sent.RetryAfter; r.Count > 0 {
			wait = fmt.Sprintf("%.0f, at most %.0f", r.P50/1000, r.Max/1000)
		}
		loop := s.Loop()
		if s.Burst != "" {
			loop += ", " + s.Burst
		}
		t.Rows = append(t.Rows, append(p.name(), items, loop, fmt.Sprint(s.Connections), fmt.Sprint(s.Batch), offered,
			count(p.EventsPerSecond), count(p.StoredPerSecond), count(p.BatchesPerSecond), fmt.Sprint(m.Refused429), wait, fmt.Sprint(m.Refused503), fmt.Sprint(m.Failed), fmt.Sprint(m.Unsent),
			fmt.Sprintf("%.2f", p.Drain)))
	}
	return t
}

func latency(points []*Point) Table {
	t := Table{
		Title: "Latency of answers, ms", Text: 2, Columns: []string{"scenario", "arm", "p50", "p90", "p95", "p99", "p99.9", "max", "from sending: p50", "p99", "visible: p50", "p95"},
		Note: "Accepted bodies only; in an open loop from the time a body was due. Visible is from an answer until the journey shows the request.",
	}
	for _, p := range points {
		l, s := p.Sent.Latency, p.Sent.Response
		row := append(p.name(), ms(l.P50), ms(l.P90), ms(l.P95), ms(l.P99), ms(l.P999), ms(l.Max), ms(s.P50), ms(s.P99))
		if p.Visible != nil {
			row = append(row, ms(p.Visible.P50), ms(p.Visible.P95))
		} else {
			row = append(row, "-", "-")
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func budget(points []*Point) Table {
	t := Table{
		Title: "CPU budget", Text: 2, Columns: []string{"scenario", "arm", "sender µs", "collector µs", "engine µs", "with merges", "query µs", "bench µs", "all µs", "sender cores", "collector", "engine", "query", "bench", "others", "stolen"},
		Note: "Microseconds of CPU an accepted item, from the first body until everything is stored (with merges: until those that followed are done, or 5 s); cores in use while measuring: others are processes that have nothing to do with it, stolen is what the host of a virtual machine took. Where these are not near 0, the figures of the point are not worth keeping.",
	}
	for _, p := range points {
		row, sum := p.name(), 0.0
		var cores []string
		for _, name := range []string{"sender", "collector", "engine", "query", "bench"} {
			used := p.Process(name)
			sum += used.MicrosPerEvent
			row = append(row, fmt.Sprintf("%.2f", used.MicrosPerEvent))
			if name == "engine" {
				row = append(row, fmt.Sprintf("%.2f", used.MicrosSettled))
			}
			cores = append(cores, fmt.Sprintf("%.2f", used.Cores))
		}
		t.Rows = append(t.Rows, append(append(row, fmt.Sprintf("%.2f", sum)), append(cores, fmt.Sprintf("%.2f", p.OtherCores), fmt.Sprintf("%.2f", p.StolenCores))...))
	}
	return t
}

func memory(points []*Point) Table {
	t := Table{
		Title: "Resident memory, MiB", Text: 2, Columns: []string{"scenario", "arm", "collector: peak", "mean", "engine: peak", "mean", "sender: peak", "query: peak"},
	}
	for _, p := range points {
		c, e := p.Process("collector"), p.Process("engine")
		t.Rows = append(t.Rows, append(p.name(), number(c.PeakRSS), number(c.MeanRSS), number(e.PeakRSS), number(e.MeanRSS),
			number(p.Process("sender").PeakRSS), number(p.Process("query").PeakRSS)))
	}
	return t
}

func store(points []*Point) Table {
	t := Table{
		Title: "Store", Text: 2, Columns: []string{"scenario", "arm", "seed", "bytes/item", "accepted", "stored", "journey", "parts", "most in a partition", "recount"},
		Note: "Stored rows of requests, spans and events. The recount compares them, journey, facets and every rollup with what was accepted.",
	}
	for _, p := range points {
		verdict := "equal"
		if p.Ledger != nil {
			verdict = "equal, with the ledger"
		}
		if len(p.Wrong) > 0 {
			verdict = strings.Join(p.Wrong, "; ")
		}
		journey := "-"
		if p.Tables != nil {
			journey = fmt.Sprint(p.Tables.Journey)
		}
		t.Rows = append(t.Rows, append(p.name(), fmt.Sprint(p.Settings.Seed), fmt.Sprintf("%.0f", p.BytesPerItem),
			fmt.Sprint(p.Sent.All.ItemsAccepted), fmt.Sprint(p.Rows), journey, fmt.Sprint(p.Parts.Parts), fmt.Sprint(p.PartsPeak), verdict))
	}
	return t
}

func tails(points []*Point) Table {
	t := Table{
		Title: "Live tail, ms", Text: 3, Columns: []string{"scenario", "arm", "subscriber of", "answered: p50", "p95", "p99", "max", "sent: p50", "p95", "p99", "probes", "missing"},
		Note: "From the answer of a POST, and from its sending, until a subscriber has the record.",
	}
	for _, p := range points {
		for _, tail := range p.Tails {
			a, s := tail.Answered, tail.SentAt
			t.Rows = append(t.Rows, append(p.name(), tail.Subscriber, ms(a.P50), ms(a.P95), ms(a.P99), ms(a.Max), ms(s.P50), ms(s.P95), ms(s.P99),
				fmt.Sprint(a.Count+tail.Missing), fmt.Sprint(tail.Missing)))
		}
	}
	return t
}

func gates(list []Gate) Table {
	t := Table{Title: "Gates", Text: 3, Columns: []string{"gate", "scenario", "verdict", "measured", "limit", "margin"}}
	for _, g := range list {
		verdict, bound := "holds", "≤"
		if g.AtLeast {
			bound = "≥"
		}
		if !g.Passed {
			verdict = "FAILS"
		}
		t.Rows = append(t.Rows, []string{g.Name, g.Scenario, verdict, quantity(g.Measured) + " " + g.Unit, bound + " " + quantity(g.Limit) + " " + g.Unit, g.margin()})
	}
	return t
}

// margin says by how much a gate holds or fails, in per cent of its limit.
func (g Gate) margin() string {
	if g.Limit == 0 {
		return fmt.Sprintf("%+g", g.Measured)
	}
	off := (g.Measured/g.Limit - 1) * 100
	if g.AtLeast {
		return fmt.Sprintf("%+.0f %%", off)
	}
	return fmt.Sprintf("%+.0f %%", -off)
}

// page is the report as a page.
func (r *Report) page() *Page {
	return &Page{Title: "trackway bench ingest", Head: r.head(), Plots: r.plots(), Tables: r.tables(), Notes: r.notes()}
}

// Markdown is the report as a page of Markdown.
func (r *Report) Markdown() []byte { return r.page().Markdown() }

// HTML is the report as one page that needs nothing else.
func (r *Report) HTML() ([]byte, error) { return r.page().HTML() }

// WriteText prints the report for a terminal.
func (r *Report) WriteText(w io.Writer) error { return r.page().WriteText(w) }

// notes are what has to be said about arms.
func (r *Report) notes() []string {
	var all []string
	for _, p := range r.Points {
		for _, note := range p.Notes {
			all = append(all, fmt.Sprintf("%s, %s: %s", p.Scenario, p.Arm, note))
		}
	}
	return all
}

func count(v float64) string {
	text := fmt.Sprintf("%.0f", v)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func quantity(v float64) string {
	if v >= 1000 {
		return count(v)
	}
	return fmt.Sprintf("%.4g", v)
}

func ms(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

func mib(bytes int64) string { return number(bytes) + " MiB" }

func number(bytes int64) string { return fmt.Sprintf("%.0f", float64(bytes)/(1<<20)) }
