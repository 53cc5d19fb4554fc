package demo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"time"
)

// Generator makes traces. The same seed, story and sequence of times give the
// same items. It is not safe for concurrent use.
type Generator struct {
	story Story
	r     *rand.Rand
	world *world

	entry      []*route  // routes that clients call
	cumulative []float64 // of their weights
	byName     map[string]*route
}

// NewGenerator returns a generator for a seed.
func NewGenerator(seed uint64, story Story) *Generator {
	r := rand.New(rand.NewPCG(seed, 0x7261636b776179))
	g := &Generator{story: story, r: r, world: newWorld(r, identifiers(r, story.IncidentStart)), byName: map[string]*route{}}
	total := 0.0
	for i := range routes {
		rt := &routes[i]
		g.byName[rt.service+" "+rt.method+" "+rt.path] = rt
		if rt.internal {
			continue
		}
		total += rt.weight
		g.entry = append(g.entry, rt)
		g.cumulative = append(g.cumulative, total)
	}
	return g
}

// NextArrival returns the time of the next request after t, for an average of
// rate requests a second that follows the daily curve.
func (g *Generator) NextArrival(t time.Time, rate float64) time.Time {
	gap := g.r.ExpFloat64() / (rate * DailyCurve(t))
	return t.Add(time.Duration(gap * float64(time.Second)))
}

// Trace makes one request that ends at done, with the requests it causes in
// other services, the spans below them and the events on the way. The first item
// is the request of the client.
func (g *Generator) Trace(done time.Time) []Item {
	rt := g.entry[sort.SearchFloat64s(g.cumulative, g.r.Float64()*g.cumulative[len(g.cumulative)-1])]
	t := &trace{g: g, at: done, ids: identifiers(g.r, done)}
	t.id, t.user = hexString(t.ids, 32), g.world.pick(t.ids)
	switch rt.order {
	case newOrder:
		t.order = g.world.place(t.user, t.ids)
	case recentOrder:
		t.order = g.world.recent(g.r)
		t.user = t.order.user
		if t.user.session == "" {
			t.user.session = "s_" + hexString(t.ids, 12)
		}
	case noOrder:
	}
	total, _ := t.request(rt, 0, "")
	for i := range t.items {
		t.items[i].Time = Time{t.items[i].Time.Add(-ms(total))}
	}
	return t.items
}

// identifiers gives the source of what is named at a time: traces, spans,
// requests, sessions, orders. A later run with the same seed has the same
// customers but names other things, or a store would show them as one.
func identifiers(r *rand.Rand, at time.Time) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(at.UnixMicro()), r.Uint64()))
}

// trace is one trace in the making. Times run from t.at and are moved back by
// its length in the end.
type trace struct {
	g     *Generator
	at    time.Time
	ids   *rand.Rand
	id    string
	user  *user
	order order
	items []Item
}

// request adds a request of a route that starts at offset (ms) below a span and
// returns its duration in ms and whether it failed.
func (t *trace) request(rt *route, offset float64, parent string) (duration float64, failed bool) {
	g := t.g
	index := len(t.items)
	t.items = append(t.items, Item{}) // the request's place, before what it causes
	span := hexString(t.ids, 16)
	released := g.story.released(t.at)

	own := math.Exp(math.Log(rt.median) + rt.sigma*g.r.NormFloat64())
	if rt.slower > 0 && released {
		own *= rt.slower
	}
	refused := g.r.Float64() < rt.refusals
	var failure *Error
	cursor := offset + own*0.05
	if !refused {
		for _, d := range rt.calls {
			cost := own * d.share * (0.75 + 0.5*g.r.Float64()) * 0.9
			timeout := d.name == payment.name && g.story.incident(t.at) && g.r.Float64() < 0.65
			if timeout {
				cost = 5000 + 40*g.r.Float64()
				own += cost
			}
			repeat := 1
			if rt.slower > 0 && released && d.name == selectMany.name {
				repeat = 6 // the release's mistake: one query per task
			}
			for range repeat {
				t.call(rt, d, cursor, cost/float64(repeat), span, timeout)
				cursor += cost / float64(repeat)
			}
			if timeout {
				failure = t.failure(rt, "TimeoutError", d.name+": no answer within 5000 ms")
				break
			}
		}
	}
	if rt.downstream != "" && !refused && failure == nil {
		cost, downFailed := t.downstream(rt, cursor, span)
		own += cost
		if downFailed {
			failure = t.failure(rt, "UpstreamError", rt.downstream+" answered 504")
		}
	}
	if failure == nil && !refused && g.r.Float64() < rt.errors {
		failure = t.failure(rt, randomErrors[g.r.IntN(len(randomErrors))], "")
	}

	t.items[index] = t.requestItem(rt, span, parent, offset, own, refused, failure)
	t.events(rt, span, offset+own, refused, failure)
	return own, failure != nil
}

// downstream adds a client span and the request it makes in another service.
func (t *trace) downstream(rt *route, offset float64, parent string) (duration float64, failed bool) {
	target := t.g.byName[rt.downstream]
	span := hexString(t.ids, 16)
	index := len(t.items)
	t.items = append(t.items, Item{})
	duration, failed = t.request(target, offset+0.6, span)
	duration += 1.2 // the network, both ways
	t.items[index] = t.spanItem(rt, target.method+" "+target.path, "client", offset, duration, span, parent, failed, map[string]any{
		"http.request.method": target.method, "server.address": target.service,
	})
	return duration, failed
}

// call adds the span of a call to a dependency.
func (t *trace) call(rt *route, d dependency, offset, duration float64, parent string, failed bool) {
	name, kind := d.name, "client"
	attributes := map[string]any{}
	switch d.system {
	case "http":
		host := d.name[strings.LastIndexByte(d.name, ' ')+1:]
		attributes["server.address"], attributes["http.request.method"] = host, "POST"
	case "kafka":
		kind = "producer"
		name = "publish " + rt.service + ".events"
		attributes["messaging.system"], attributes["messaging.destination.name"] = d.system, rt.service+".events"
	case "s3":
		attributes["rpc.system"], attributes["rpc.method"] = "aws-api", d.name
	default:
		name += " " + rt.service
		attributes["db.system.name"], attributes["db.operation.name"] = d.system, d.name
	}
	t.items = append(t.items, t.spanItem(rt, name, kind, offset, duration, hexString(t.ids, 16), parent, failed, attributes))
}

// release is the version of a service at the time of the trace.
func (t *trace) release(s *service) string {
	if s.next != "" && t.g.story.released(t.at) {
		return s.next
	}
	return s.release
}

func (t *trace) time(offset float64) Time { return Time{t.at.Add(ms(offset))} }

func ms(d float64) time.Duration { return time.Duration(d * float64(time.Millisecond)) }

// path fills the parameters of a route.
func (t *trace) path(rt *route) string {
	r := t.g.r
	switch {
	case !strings.Contains(rt.path, ":"):
		return rt.path
	case rt.order != noOrder:
		return strings.Replace(rt.path, ":id", t.order.id, 1)
	case strings.HasPrefix(rt.path, "/accounts/"):
		return strings.Replace(rt.path, ":id", t.user.account.id, 1)
	}
	path := strings.Replace(rt.path, ":id", fmt.Sprint(1+int(r.ExpFloat64()*900)), 1)
	return strings.Replace(path, ":sku", fmt.Sprintf("SKU-%04d", r.IntN(1200)), 1)
}
