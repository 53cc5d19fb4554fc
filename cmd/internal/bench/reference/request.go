package reference

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/trackwayhq/trackway/internal/fingerprint"
	"github.com/trackwayhq/trackway/internal/record"
)

// ttlDays keeps a set for as long as anybody could want it.
const ttlDays = 4000

// Records makes the records of a set. It is not safe for concurrent use; Clone
// gives another one that shares what does not change.
type Records struct {
	spec    Spec
	catalog *catalog
	rare    map[int64]rare
	source  *rand.PCG
	r       *rand.Rand
}

// NewRecords gives the records of a set.
func NewRecords(s Spec) *Records {
	return (&Records{spec: s, catalog: newCatalog(), rare: rareAt(s.Rows)}).Clone()
}

// Clone is for another goroutine.
func (g *Records) Clone() *Records {
	source := rand.NewPCG(0, 0)
	return &Records{spec: g.spec, catalog: g.catalog, rare: g.rare, source: source, r: rand.New(source)}
}

// stream keeps the random numbers of what is made apart.
type stream uint64

const (
	mainStream stream = iota + 1
	sparseStream
	relatedStream
	bigStream
)

// seed starts the random numbers of one record.
func (g *Records) seed(s stream, i int64) {
	// The two words are mixed (SplitMix64): seeds that differ in a bit must not give
	// numbers that do.
	g.source.Seed(mix(g.spec.Seed^uint64(s)<<56), mix(uint64(i)))
}

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Request makes request i of Main and the small projects.
func (g *Records) Request(i int64) record.Record {
	g.seed(mainStream, i)
	at := timeOf(g.spec.Start(), i, g.spec.Rows, g.spec.Days, g.r.Float64())
	r := g.request(Main, at)
	if isOther(i) {
		r.Project = OtherProject(int(i / otherEvery % Others))
	} else if what, ok := g.rare[i]; ok {
		g.makeRare(&r, what)
	}
	return r
}

// SparseRequest makes request i of Sparse.
func (g *Records) SparseRequest(i int64) record.Record {
	g.seed(sparseStream, i)
	return g.request(Sparse, timeOf(g.spec.SparseStart(), i, g.spec.SparseRows(), SparseDays, g.r.Float64()))
}

// request draws a request.
func (g *Records) request(project string, at time.Time) record.Record {
	c, r := g.catalog, g.r
	rt := &c.routes[c.popular.draw(r)]
	user := c.customers.draw(r)
	status := g.status(rt, at)
	out := record.Record{
		Kind: record.Request, Project: project, Time: at, RID: r.Uint64(), SpanKind: "http",
		Service: rt.service, Env: "prod", Release: release(rt.serviceIndex, at), Instance: rt.service + "-" + strconv.Itoa(r.IntN(6)),
		Name: rt.name, Method: rt.method, Route: rt.template, Path: rt.path + strconv.Itoa(1+int(r.ExpFloat64()*20_000)),
		Status: status, SpanStatus: "unset", Duration: g.duration(rt.median, status),
		UserAgent: agents[user%len(agents)], ClientIP: clientIP(user),
		RequestBytes: 80 + uint64(r.ExpFloat64()*300), ResponseBytes: 40 + uint64(r.ExpFloat64()*4000),
		Resource: record.Pairs{{Key: "telemetry.sdk.language", Value: "go"}},
		Weight:   256, TTLDays: ttlDays,
	}
	fill(r, out.TraceID[:])
	fill(r, out.SpanID[:])
	out.RequestID = requestID(r)
	plan, region, cache := c.planOf[user], regions[r.IntN(len(regions))], caches[r.IntN(len(caches))]
	out.Attributes = record.Pairs{{Key: "plan", Value: plan}, {Key: "region", Value: region}, {Key: "cache", Value: cache}}
	out.FacetItems = []string{planItems[plan], regionItems[region], cacheItems[cache]}
	out.Correlation = make(record.Pairs, 3, 5)
	out.Correlation[0] = record.Pair{Key: "account_id", Value: c.accountOf[user]}
	out.Correlation[1] = record.Pair{Key: "user_id", Value: c.userIDs[user]}
	out.Correlation[2] = record.Pair{Key: "request_id", Value: out.RequestID}
	if r.IntN(10) == 0 { // a session is half an hour of a user
		session := mix(uint64(user)<<32 ^ uint64(at.Unix()/1800) ^ g.spec.Seed)
		out.Correlation = append(out.Correlation, record.Pair{Key: "session_id", Value: "s_" + strconv.FormatUint(session, 36)})
	}
	if rt.orders && r.IntN(4) == 0 {
		out.Correlation = append(out.Correlation, record.Pair{Key: "order_id", Value: "o_" + strconv.FormatUint(uint64(at.UnixMilli()/4000*64+int64(r.IntN(8))), 36)})
	}
	if status >= 500 {
		fail(&out, failures[r.IntN(len(failures))].class, "")
	}
	return out
}

// status draws one. Most answers are good; for an hour a day one service is not.
func (g *Records) status(rt *route, at time.Time) uint16 {
	day, hour := int(at.Unix()/86400), at.Hour()
	broken := 0.008
	if rt.serviceIndex == day%len(services) && hour == (day*7+9)%24 {
		broken = 0.08
	}
	switch p := g.r.Float64(); {
	case p < broken:
		return [...]uint16{500, 500, 500, 502, 503, 503, 504}[g.r.IntN(7)]
	case p < broken+0.03:
		return [...]uint16{404, 404, 404, 404, 401, 403, 409, 422, 429, 400}[g.r.IntN(10)]
	case p < broken+0.07 && !rt.write:
		return 304
	case rt.method == "POST":
		return 201
	case rt.method == "DELETE":
		return 204
	}
	return 200
}

// duration draws one in nanoseconds: log-normal, with a tail of one in fifty.
func (g *Records) duration(median float64, status uint16) uint64 {
	ms := median * math.Exp(0.55*g.r.NormFloat64())
	if g.r.IntN(50) == 0 {
		ms *= 2 + 8*g.r.Float64()
	}
	if status == 504 {
		ms += 30_000
	}
	return uint64(ms * 1e6)
}

// fail makes a request one that failed. The message is that of the class unless
// given.
func fail(r *record.Record, class, message string) {
	for _, f := range failures {
		if f.class == class && message == "" {
			message = f.message
		}
	}
	r.SpanStatus = "error"
	r.ErrorType, r.ErrorMessage = class, message
	r.ErrorStack = class + ": " + message + "\n    at handle (/srv/app/" + r.Service + "/handler.js:118:17)\n    at run (/srv/app/lib/pool.js:40:5)"
	r.ErrorGroup = fingerprint.Group(&fingerprint.Error{Service: r.Service, Route: r.Route, Type: class, Message: message, Stack: r.ErrorStack})
}

func (g *Records) makeRare(r *record.Record, what rare) {
	switch what.kind {
	case byStatus:
		r.Status, r.SpanStatus = RareStatus(what.variant), "unset"
		r.ErrorType, r.ErrorMessage, r.ErrorStack, r.ErrorGroup = "", "", "", 0
	case byAttribute:
		value := RareExperiment(what.variant)
		r.Attributes = append(r.Attributes, record.Pair{Key: "experiment", Value: value})
		r.FacetItems = append(r.FacetItems, "experiment="+value)
	case byText:
		r.Status = 500
		fail(r, "ShardError", RareText(what.variant))
	case byKey:
		kept := r.Correlation[:0]
		for _, p := range r.Correlation {
			if p.Key != "order_id" {
				kept = append(kept, p)
			}
		}
		r.Correlation = append(kept, record.Pair{Key: "order_id", Value: RareOrder(what.variant)})
	}
}

// releaseEvery is how long a release of a service runs.
const releaseEvery = 11 * time.Hour

// release is what of a service runs at a time: some hundreds in all.
func release(service int, at time.Time) string {
	shifted := at.Unix() + int64(service)*4800
	return "v" + strconv.Itoa(1+service) + "." + strconv.FormatInt(shifted/int64(releaseEvery/time.Second)%10_000, 10) + ".0"
}

func clientIP(user int) string {
	h := mix(uint64(user))
	return fmt.Sprintf("10.%d.%d.%d", byte(h), byte(h>>8), byte(h>>16))
}

func requestID(r *rand.Rand) string {
	const digits = "0123456789abcdef"
	id := [18]byte{0: 'r', 1: '-'}
	for x, i := r.Uint64(), 2; i < len(id); i, x = i+1, x>>4 {
		id[i] = digits[x&15]
	}
	return string(id[:])
}

// fill gives an id random bytes, not all zero.
func fill(r *rand.Rand, id []byte) {
	for ; len(id) > 0; id = id[8:] {
		binary.LittleEndian.PutUint64(id, r.Uint64()|1)
	}
}

// The items that attributes become, made once.
var (
	planItems   = itemsOf("plan", plans)
	regionItems = itemsOf("region", regions)
	cacheItems  = itemsOf("cache", caches)
)

func itemsOf(key string, values []string) map[string]string {
	items := map[string]string{}
	for _, v := range values {
		items[v] = key + "=" + v
	}
	return items
}
