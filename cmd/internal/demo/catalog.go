package demo

// A service is one deployed program of the demo.
type service struct {
	name     string
	language string // of its stack traces: go, node or python
	release  string
	next     string // release that replaces it during the run, "" for none
}

var services = map[string]*service{
	"identity":      {name: "identity", language: "go", release: "v3.2.0"},
	"projects":      {name: "projects", language: "node", release: "v1.4.1", next: "v1.4.2"},
	"orders":        {name: "orders", language: "go", release: "v2.11.3"},
	"billing":       {name: "billing", language: "python", release: "v5.0.7"},
	"search":        {name: "search", language: "go", release: "v0.9.14"},
	"notifications": {name: "notifications", language: "node", release: "v1.1.0"},
}

// A dependency is one call a route makes, seen as a span below its request.
type dependency struct {
	name   string
	system string  // postgresql, redis, kafka, http …
	share  float64 // of the request's own time
}

// Dependencies that several routes use. The payment provider is the one that
// times out during the incident.
var (
	cacheGet   = dependency{"GET", "redis", 0.06}
	selectRow  = dependency{"SELECT", "postgresql", 0.35}
	selectMany = dependency{"SELECT", "postgresql", 0.55}
	insertRow  = dependency{"INSERT", "postgresql", 0.30}
	updateRow  = dependency{"UPDATE", "postgresql", 0.32}
	publish    = dependency{"publish", "kafka", 0.10}
	query      = dependency{"search", "elasticsearch", 0.70}
	storePut   = dependency{"PutObject", "s3", 0.65}
	sendMail   = dependency{"POST mail.example.com", "http", 0.60}
	payment    = dependency{"POST payments.example.com", "http", 0.72}
)

// A route is one endpoint with its own latency and share of the traffic.
type route struct {
	service, method, path string
	weight                float64 // relative share of the traffic
	median                float64 // ms
	sigma                 float64 // of the logarithm: 0.3 is steady, 1 has a long tail
	errors                float64 // share of 5xx outside the incident
	refusals              float64 // share of 4xx
	calls                 []dependency
	downstream            string // "service METHOD path" of a route called on the way
	event                 string // business event of a success
	order                 orderUse
	internal              bool    // called by other services only
	slower                float64 // factor once its service's next release is out
}

// orderUse says what a route does with orders.
type orderUse uint8

const (
	noOrder orderUse = iota
	newOrder
	recentOrder
)

var routes = []route{
	{service: "identity", method: "POST", path: "/auth/login", weight: 3, median: 95, sigma: 0.35, errors: 0.001, refusals: 0.06, calls: []dependency{selectRow, updateRow}, event: "user.signed_in"},
	{service: "identity", method: "POST", path: "/auth/refresh", weight: 6, median: 12, sigma: 0.4, errors: 0.0005, refusals: 0.02, calls: []dependency{cacheGet}},
	{service: "identity", method: "POST", path: "/auth/logout", weight: 1, median: 8, sigma: 0.3, calls: []dependency{cacheGet}, event: "user.signed_out"},
	{service: "identity", method: "GET", path: "/me", weight: 12, median: 9, sigma: 0.45, errors: 0.0004, refusals: 0.01, calls: []dependency{cacheGet, selectRow}},
	{service: "identity", method: "PATCH", path: "/me", weight: 0.6, median: 28, sigma: 0.4, errors: 0.001, refusals: 0.03, calls: []dependency{updateRow}},
	{service: "identity", method: "GET", path: "/accounts/:id", weight: 5, median: 14, sigma: 0.4, errors: 0.0006, refusals: 0.01, calls: []dependency{selectRow}},
	{service: "identity", method: "GET", path: "/accounts/:id/members", weight: 2, median: 26, sigma: 0.5, errors: 0.0008, calls: []dependency{selectMany}},
	{service: "identity", method: "POST", path: "/accounts/:id/members", weight: 0.3, median: 60, sigma: 0.5, errors: 0.002, refusals: 0.08, calls: []dependency{insertRow, publish}, downstream: "notifications POST /internal/messages", event: "member.invited"},

	{service: "projects", method: "GET", path: "/projects", weight: 9, median: 32, sigma: 0.5, errors: 0.001, calls: []dependency{cacheGet, selectMany}},
	{service: "projects", method: "POST", path: "/projects", weight: 0.8, median: 55, sigma: 0.45, errors: 0.002, refusals: 0.05, calls: []dependency{insertRow, publish}, event: "project.created"},
	{service: "projects", method: "GET", path: "/projects/:id", weight: 8, median: 18, sigma: 0.45, errors: 0.001, refusals: 0.02, calls: []dependency{selectRow}},
	{service: "projects", method: "PATCH", path: "/projects/:id", weight: 1, median: 38, sigma: 0.4, errors: 0.002, refusals: 0.03, calls: []dependency{updateRow}},
	{service: "projects", method: "DELETE", path: "/projects/:id", weight: 0.2, median: 70, sigma: 0.6, errors: 0.003, refusals: 0.05, calls: []dependency{updateRow, publish}, event: "project.deleted"},
	{service: "projects", method: "GET", path: "/projects/:id/tasks", weight: 11, median: 42, sigma: 0.55, errors: 0.0015, refusals: 0.01, calls: []dependency{cacheGet, selectMany}, slower: 3.2},
	{service: "projects", method: "POST", path: "/projects/:id/tasks", weight: 3, median: 48, sigma: 0.45, errors: 0.002, refusals: 0.04, calls: []dependency{insertRow, publish}, event: "task.created"},
	{service: "projects", method: "GET", path: "/tasks/:id", weight: 7, median: 16, sigma: 0.4, errors: 0.001, refusals: 0.02, calls: []dependency{selectRow}},
	{service: "projects", method: "PATCH", path: "/tasks/:id", weight: 4, median: 35, sigma: 0.45, errors: 0.002, refusals: 0.03, calls: []dependency{updateRow, publish}, event: "task.updated"},
	{service: "projects", method: "POST", path: "/tasks/:id/comments", weight: 2, median: 44, sigma: 0.5, errors: 0.002, refusals: 0.02, calls: []dependency{insertRow}, downstream: "notifications POST /internal/messages", event: "comment.created"},
	{service: "projects", method: "POST", path: "/tasks/:id/attachments", weight: 0.7, median: 320, sigma: 0.9, errors: 0.004, refusals: 0.06, calls: []dependency{storePut, insertRow}, event: "attachment.stored"},

	{service: "orders", method: "GET", path: "/catalog", weight: 4, median: 22, sigma: 0.5, errors: 0.0005, calls: []dependency{cacheGet}},
	{service: "orders", method: "GET", path: "/catalog/:sku", weight: 5, median: 11, sigma: 0.4, errors: 0.0005, refusals: 0.03, calls: []dependency{cacheGet, selectRow}},
	{service: "orders", method: "GET", path: "/cart", weight: 3, median: 15, sigma: 0.4, errors: 0.0008, calls: []dependency{selectRow}},
	{service: "orders", method: "PUT", path: "/cart/items/:sku", weight: 2, median: 27, sigma: 0.4, errors: 0.001, refusals: 0.03, calls: []dependency{updateRow}, event: "cart.changed"},
	{service: "orders", method: "POST", path: "/orders", weight: 3, median: 85, sigma: 0.5, errors: 0.003, refusals: 0.04, calls: []dependency{insertRow, publish}, downstream: "billing POST /internal/charges", event: "order.placed", order: newOrder},
	{service: "orders", method: "GET", path: "/orders/:id", weight: 4, median: 19, sigma: 0.4, errors: 0.001, refusals: 0.02, calls: []dependency{selectRow}, order: recentOrder},
	{service: "orders", method: "POST", path: "/orders/:id/cancel", weight: 0.3, median: 66, sigma: 0.5, errors: 0.003, refusals: 0.12, calls: []dependency{updateRow}, downstream: "billing POST /internal/refunds", event: "order.cancelled", order: recentOrder},
	{service: "orders", method: "GET", path: "/orders", weight: 2, median: 40, sigma: 0.6, errors: 0.001, calls: []dependency{selectMany}},

	{service: "billing", method: "GET", path: "/invoices", weight: 1.5, median: 52, sigma: 0.6, errors: 0.001, calls: []dependency{selectMany}},
	{service: "billing", method: "GET", path: "/invoices/:id", weight: 1.2, median: 30, sigma: 0.5, errors: 0.001, refusals: 0.02, calls: []dependency{selectRow}},
	{service: "billing", method: "GET", path: "/invoices/:id/pdf", weight: 0.4, median: 480, sigma: 0.7, errors: 0.005, refusals: 0.01, calls: []dependency{selectRow, storePut}},
	{service: "billing", method: "POST", path: "/payment-methods", weight: 0.3, median: 410, sigma: 0.5, errors: 0.004, refusals: 0.09, calls: []dependency{payment, insertRow}, event: "payment_method.added"},
	{service: "billing", method: "POST", path: "/orders/:id/pay", weight: 2.6, median: 350, sigma: 0.45, errors: 0.004, refusals: 0.05, calls: []dependency{payment, updateRow}, event: "order.paid", order: recentOrder},
	{service: "billing", method: "POST", path: "/internal/charges", internal: true, median: 260, sigma: 0.45, errors: 0.003, refusals: 0.02, calls: []dependency{payment, insertRow}, event: "charge.authorized"},
	{service: "billing", method: "POST", path: "/internal/refunds", internal: true, median: 240, sigma: 0.4, errors: 0.003, calls: []dependency{payment, updateRow}, event: "charge.refunded"},

	{service: "search", method: "GET", path: "/search", weight: 6, median: 75, sigma: 0.7, errors: 0.002, refusals: 0.01, calls: []dependency{query}},
	{service: "search", method: "GET", path: "/search/suggest", weight: 8, median: 14, sigma: 0.45, errors: 0.0008, calls: []dependency{query}},
	{service: "search", method: "POST", path: "/search/saved", weight: 0.4, median: 33, sigma: 0.4, errors: 0.001, refusals: 0.03, calls: []dependency{insertRow}, event: "search.saved"},

	{service: "notifications", method: "GET", path: "/notifications", weight: 7, median: 13, sigma: 0.5, errors: 0.0006, calls: []dependency{cacheGet, selectMany}},
	{service: "notifications", method: "POST", path: "/notifications/:id/read", weight: 3, median: 11, sigma: 0.35, errors: 0.0006, refusals: 0.01, calls: []dependency{updateRow}},
	{service: "notifications", method: "POST", path: "/webhooks/deliveries", weight: 1, median: 180, sigma: 0.9, errors: 0.008, refusals: 0.03, calls: []dependency{sendMail}},
	{service: "notifications", method: "POST", path: "/internal/messages", internal: true, median: 40, sigma: 0.5, errors: 0.001, calls: []dependency{insertRow, sendMail}, event: "message.queued"},
	{service: "notifications", method: "GET", path: "/healthz", weight: 1.5, median: 1.2, sigma: 0.3},
}
