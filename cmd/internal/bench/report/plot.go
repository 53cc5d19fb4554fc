package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// Sizes of a plot, in CSS pixels.
const (
	plotWidth  = 380
	plotHeight = 170
	plotLeft   = 58
	plotBottom = 22
	plotTop    = 22
	plotRight  = 8
)

// Colours of lines and bars; each is readable on light and dark ground.
var colours = []string{"#3b82c4", "#d9772b", "#3a9d5d", "#a855b5", "#8a8a8a"}

// line is one line of a plot.
type line struct {
	name string
	y    []float64
}

// plots are the pictures of the report: what each point did over time, and where
// the CPU of all of them goes.
func (r *Report) plots() []template.HTML {
	var list []template.HTML
	if len(r.Points) > 0 {
		list = append(list, bars("CPU an item, µs", r.Points))
	}
	list = append(list, ladders(r.Points)...)
	for _, p := range r.Points {
		if len(p.Series) < 2 {
			continue
		}
		list = append(list, p.plots())
	}
	return list
}

func (p *Point) plots() template.HTML {
	x := make([]float64, len(p.Series))
	pick := func(of func(*Sample) float64) []float64 {
		y := make([]float64, len(p.Series))
		for i := range p.Series {
			x[i], y[i] = p.Series[i].At, of(&p.Series[i])
		}
		return y
	}
	var cores, memory []line
	for _, name := range []string{"sender", "collector", "engine"} {
		cores = append(cores, line{name, pick(func(s *Sample) float64 { return s.Cores[name] })})
		memory = append(memory, line{name, pick(func(s *Sample) float64 { return float64(s.RSS[name]) / (1 << 20) })})
	}
	var out strings.Builder
	fmt.Fprintf(&out, "<h2>%s, %s</h2>\n", template.HTMLEscapeString(p.Scenario), template.HTMLEscapeString(p.Arm))
	type plot struct {
		title string
		lines []line
	}
	list := []plot{
		{"accepted a second", []line{{"items", pick(func(s *Sample) float64 { return s.Accepted })}}},
		{"answers, ms", []line{{"p50", pick(func(s *Sample) float64 { return s.P50 })}, {"p99", pick(func(s *Sample) float64 { return s.P99 })}}},
		{"cores", cores},
		{"resident memory, MiB", memory},
		{"parts, the most in a partition", []line{{"parts", pick(func(s *Sample) float64 { return float64(s.Parts) })}}},
	}
	if p.Sent.All.Refused429+p.Sent.All.Refused503 > 0 {
		list = append(list, plot{"refused a second", []line{{"bodies", pick(func(s *Sample) float64 { return s.Refused })}}})
	}
	for _, plot := range list {
		out.WriteString(lines(plot.title, "s", x, plot.lines))
	}
	return template.HTML(out.String())
}

// ladders draws, for scenarios that try several rates of the same load, how answers
// and CPU change with the rate.
func ladders(points []*Point) []template.HTML {
	groups := map[string][]*Point{}
	var order []string
	for _, p := range points {
		s := p.Settings
		if s.Rate == 0 {
			continue
		}
		key := fmt.Sprintf("%s: %s %s", p.Scenario, s.Format, s.Mix)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], p)
	}
	var list []template.HTML
	for _, key := range order {
		group := groups[key]
		if len(group) < 3 {
			continue
		}
		var x, p50, p99, collector, engine []float64
		for _, p := range group {
			x, p50, p99 = append(x, p.Settings.Rate), append(p50, p.Sent.Latency.P50), append(p99, p.Sent.Latency.P99)
			collector, engine = append(collector, p.Process("collector").Cores), append(engine, p.Process("engine").Cores)
		}
		list = append(list, template.HTML(fmt.Sprintf("<h2>%s, by rate</h2>\n", template.HTMLEscapeString(key))+
			lines("answers, ms", "items/s", x, []line{{"p50", p50}, {"p99", p99}})+
			lines("cores", "items/s", x, []line{{"collector", collector}, {"engine", engine}})))
	}
	return list
}

// lines draws values over x, whose unit is given.
func lines(title, unit string, x []float64, list []line) string {
	highest := 0.0
	for _, l := range list {
		for _, v := range l.y {
			highest = max(highest, v)
		}
	}
	top := ceiling(highest)
	last := max(x[len(x)-1], 1)
	width, height := float64(plotWidth-plotLeft-plotRight), float64(plotHeight-plotTop-plotBottom)
	px := func(v float64) float64 { return plotLeft + v/last*width }
	py := func(v float64) float64 { return plotTop + (1-v/top)*height }

	var out strings.Builder
	fmt.Fprintf(&out, `<figure><svg width="%d" height="%d" role="img" aria-label="%s">`, plotWidth, plotHeight, template.HTMLEscapeString(title))
	for _, share := range []float64{0, 0.5, 1} {
		y := py(share * top)
		fmt.Fprintf(&out, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="currentColor" stroke-opacity=".15"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`,
			plotLeft, plotWidth-plotRight, y, y, plotLeft-6, y+4, short(share*top))
	}
	fmt.Fprintf(&out, `<text x="%d" y="%d">0</text><text x="%d" y="%d" text-anchor="end">%s %s</text>`,
		plotLeft, plotHeight-6, plotWidth-plotRight, plotHeight-6, short(last), unit)
	at := float64(plotLeft)
	for i, l := range list {
		colour := colours[i%len(colours)]
		var points strings.Builder
		for j, v := range l.y {
			fmt.Fprintf(&points, "%.1f,%.1f ", px(x[j]), py(v))
		}
		fmt.Fprintf(&out, `<polyline fill="none" stroke="%s" stroke-width="1.5" points="%s"/>`, colour, strings.TrimSpace(points.String()))
		fmt.Fprintf(&out, `<rect x="%.0f" y="6" width="9" height="9" fill="%s"/><text x="%.0f" y="14">%s</text>`, at, colour, at+13, template.HTMLEscapeString(l.name))
		at += 28 + 7*float64(len(l.name))
	}
	fmt.Fprintf(&out, "</svg><figcaption>%s</figcaption></figure>\n", template.HTMLEscapeString(title))
	return out.String()
}

// Sizes of the bars.
const (
	barHeight = 18
	barGap    = 6
	barLeft   = 260
	barWidth  = 760
)

// bars draws the CPU budget of every point: one bar each, divided by process.
func bars(title string, points []*Point) template.HTML {
	names := []string{"sender", "collector", "engine", "query", "bench"}
	highest := 0.0
	for _, p := range points {
		sum := 0.0
		for _, name := range names {
			sum += p.Process(name).MicrosPerEvent
		}
		highest = max(highest, sum)
	}
	top := ceiling(highest)
	height := 24 + len(points)*(barHeight+barGap)
	var out strings.Builder
	fmt.Fprintf(&out, `<h2>%s</h2><svg width="%d" height="%d" role="img" aria-label="%s">`,
		template.HTMLEscapeString(title), barLeft+barWidth+70, height, template.HTMLEscapeString(title))
	at := barLeft
	for i, name := range names {
		fmt.Fprintf(&out, `<rect x="%d" y="2" width="9" height="9" fill="%s"/><text x="%d" y="11">%s</text>`, at, colours[i], at+13, name)
		at += 90
	}
	for i, p := range points {
		y := 24 + i*(barHeight+barGap)
		fmt.Fprintf(&out, `<text x="%d" y="%d" text-anchor="end">%s</text>`, barLeft-8, y+13, template.HTMLEscapeString(p.Scenario+", "+p.Arm))
		x, sum := float64(barLeft), 0.0
		for j, name := range names {
			v := p.Process(name).MicrosPerEvent
			width := v / top * barWidth
			fmt.Fprintf(&out, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"><title>%s %.2f µs</title></rect>`, x, y, width, barHeight, colours[j], name, v)
			x, sum = x+width, sum+v
		}
		fmt.Fprintf(&out, `<text x="%.1f" y="%d">%.1f</text>`, x+6, y+13, sum)
	}
	out.WriteString("</svg>\n")
	return template.HTML(out.String())
}

// ceiling is the next number of the form 1, 2 or 5 times a power of ten.
func ceiling(v float64) float64 {
	if v <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, step := range []float64{1, 2, 5, 10} {
		if v <= step*power {
			return step * power
		}
	}
	return 10 * power
}

// short writes a number with few characters.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.3gM", v/1e6)
	case v >= 1e4:
		return fmt.Sprintf("%.3gk", v/1e3)
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
