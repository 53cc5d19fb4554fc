package demo

import (
	"fmt"
	"math"
)

// env is the deployment environment of all demo traffic.
const env = "production"

// requestItem is the request of a route that ended after duration ms.
func (t *trace) requestItem(rt *route, span, parent string, offset, duration float64, refused bool, failure *Error) Item {
	r := t.g.r
	item := Item{
		Type: "request", Time: t.time(offset), Service: rt.service, Env: env, Release: t.release(services[rt.service]),
		Method: rt.method, Route: rt.path, Path: t.path(rt), Status: t.status(rt, refused, failure), Duration: round(duration),
		RequestID: "req_" + hexString(t.ids, 16), TraceID: t.id, SpanID: span, ParentSpanID: parent,
		UserAgent: t.user.agent, ClientIP: t.user.ip,
		ResponseBytes:  80 + int(r.ExpFloat64()*2400),
		RequestHeaders: map[string]string{"accept": "application/json", "authorization": "Bearer demo-" + t.user.session},
		ResponseHeaders: map[string]string{
			"content-type": "application/json; charset=utf-8",
		},
		Attributes: map[string]any{
			"plan": t.user.account.plan, "region": t.user.account.region,
			"cache.hit": r.Float64() < 0.7, "api.version": "2026-09",
		},
		Correlation: t.correlation(),
		Error:       failure,
	}
	if parent != "" {
		item.UserAgent, item.ClientIP = "acme-internal/1.0", "10.0.4.17"
		delete(item.RequestHeaders, "authorization")
	}
	if rt.method != "GET" && rt.method != "DELETE" {
		item.RequestHeaders["content-type"] = "application/json"
		item.RequestBody = fmt.Sprintf(`{"account":%q,"note":"change %d","count":%d}`, t.user.account.id, r.IntN(10_000), 1+r.IntN(9))
		item.RequestBytes = len(item.RequestBody)
	}
	switch {
	case failure != nil:
		item.ResponseBody = fmt.Sprintf(`{"error":%q,"request_id":%q}`, failure.Type, item.RequestID)
	case refused:
		item.ResponseBody = fmt.Sprintf(`{"error":"refused","status":%d}`, item.Status)
	}
	if item.ResponseBody != "" {
		item.ResponseBytes = len(item.ResponseBody)
	}
	return item
}

func (t *trace) spanItem(rt *route, name, kind string, offset, duration float64, span, parent string, failed bool, attributes map[string]any) Item {
	status := "unset"
	if failed {
		status = "error"
	}
	return Item{
		Type: "span", Time: t.time(offset), Service: rt.service, Env: env, Release: t.release(services[rt.service]),
		Name: name, Kind: kind, Duration: round(duration), Status: status,
		TraceID: t.id, SpanID: span, ParentSpanID: parent, Attributes: attributes,
	}
}

// events adds what the service logs at the end of a request: the business event
// of a success, the reason of a failure.
func (t *trace) events(rt *route, span string, offset float64, refused bool, failure *Error) {
	item := Item{
		Type: "event", Time: t.time(offset), Service: rt.service, Env: env, Release: t.release(services[rt.service]),
		TraceID: t.id, SpanID: span, Correlation: t.correlation(),
	}
	switch {
	case failure != nil:
		item.Name, item.Severity = "request.failed", "error"
		item.Message = failure.Type + ": " + failure.Message
		item.Attributes = map[string]any{"route": rt.path}
	case refused || rt.event == "":
		return
	default:
		item.Name, item.Severity = rt.event, "info"
		item.Message = rt.event + " by " + t.user.id
		item.Attributes = map[string]any{"plan": t.user.account.plan}
		if rt.order != noOrder {
			item.Attributes["amount_cents"] = 500 + t.g.r.IntN(40_000)
		}
	}
	t.items = append(t.items, item)
}

func (t *trace) correlation() map[string]string {
	keys := map[string]string{
		"account_id": t.user.account.id, "user_id": t.user.id, "session_id": t.user.session,
	}
	if t.order.id != "" {
		keys["order_id"] = t.order.id
	}
	return keys
}

// status is the HTTP status of a request.
func (t *trace) status(rt *route, refused bool, failure *Error) int {
	switch {
	case failure != nil && failure.Type == "TimeoutError":
		return 504
	case failure != nil && failure.Type == "UpstreamError":
		return 502
	case failure != nil:
		return 500
	case refused && rt.path == "/auth/login":
		return 401
	case refused:
		return []int{400, 403, 404, 404, 409, 422, 429}[t.g.r.IntN(7)]
	case rt.method == "POST" && rt.event != "":
		return 201
	case rt.method == "DELETE":
		return 204
	}
	return 200
}

// round keeps microseconds, as clocks of real services do.
func round(ms float64) float64 { return math.Round(ms*1000) / 1000 }
