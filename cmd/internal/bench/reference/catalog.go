package reference

import (
	"fmt"
	"math"
)

// Sizes of populations.
const (
	users    = 120_000
	accounts = 500
)

// route is one of the sixty routes of eight services.
type route struct {
	service, method, template, path, name string
	serviceIndex                          int
	median                                float64 // ms
	write                                 bool
	orders                                bool // its requests carry an order
}

// The catalog. Names are of the sizes that real ones have.
var (
	services   = []string{"web-api", "billing-api", "search-api", "files-api", "identity-api", "reports-api", "notify-api", "gateway"}
	resources  = []string{"projects", "tasks", "invoices", "orders", "members", "comments", "uploads", "webhooks", "exports", "sessions"}
	plans      = []string{"free", "team", "business", "enterprise"}
	regions    = []string{"eu-west-1", "eu-north-1", "us-east-1", "us-west-2", "ap-south-1", "sa-east-1"}
	caches     = []string{"hit", "miss", "stale"}
	spanNames  = []string{"SELECT tasks", "redis GET", "POST payments.example", "publish audit.events", "SELECT accounts", "s3 GetObject"}
	spanKinds  = []string{"client", "client", "client", "producer", "client", "internal"}
	eventNames = []string{"order.paid", "cache.miss", "retry", "login"}
	agents     = []string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/139.0", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15",
		"Mozilla/5.0 (X11; Linux x86_64) Chrome/137.0.0.0", "okhttp/5.1.0", "python-requests/2.32.4", "Go-http-client/2.0", "curl/8.14.1", "axios/1.10.0",
	}
	// failures by status class: what a server error says.
	failures = []struct{ class, message string }{
		{"TimeoutError", "upstream timed out after 30000 ms"},
		{"ConnectionRefusedError", "connect: connection refused by 10.0.4.17:5432"},
		{"PoolExhaustedError", "no free connection after 5 s"},
		{"NullReferenceError", "cannot read property 'id' of undefined"},
		{"DeadlockError", "deadlock detected while waiting for a row"},
		{"DiskQuotaError", "write failed: quota exceeded"},
		{"SerializationError", "unexpected token in JSON at position 17"},
		{"CircuitOpenError", "circuit breaker is open"},
	}
)

// Routes is how many routes a set has.
const Routes = 60

// catalog is what drawing needs, made once.
type catalog struct {
	routes    []route
	popular   *alias
	customers *alias
	userIDs   []string
	accountOf []string // by user
	planOf    []string // by user
}

func newCatalog() *catalog {
	c := &catalog{}
	var popular []float64
	for i := range Routes {
		service := i % len(services)
		resource, version := resources[i%len(resources)], 1+i/len(resources)
		method := []string{"GET", "GET", "POST", "GET", "PATCH", "GET", "DELETE"}[i%7]
		template := fmt.Sprintf("/v%d/%s/:id", version, resource)
		if i%3 == 2 {
			template += "/" + resources[(i*3+1)%len(resources)]
		}
		r := route{
			service: services[service], serviceIndex: service, method: method, template: template,
			path: fmt.Sprintf("/v%d/%s/", version, resource), write: method != "GET", orders: resource == "orders" || resource == "invoices",
			median: 4 * math.Exp(float64(i*37%60)/13), // 4 to 370 ms
		}
		r.name = r.method + " " + r.template
		c.routes = append(c.routes, r)
		popular = append(popular, 1/math.Pow(float64(3+i), 1.1))
	}
	c.popular = newAlias(popular)
	weights := make([]float64, users)
	c.userIDs, c.accountOf, c.planOf = make([]string, users), make([]string, users), make([]string, users)
	ids := make([]string, accounts)
	for a := range ids {
		ids[a] = fmt.Sprintf("acc_%d", a)
	}
	for u := range users {
		weights[u] = 1 / math.Pow(float64(50+u), 1.1)
		c.userIDs[u] = fmt.Sprintf("u_%d", u)
		account := u % accounts
		c.accountOf[u] = ids[account]
		plan := 0
		switch share := account * 37 % 100; {
		case share < 4:
			plan = 3
		case share < 14:
			plan = 2
		case share < 40:
			plan = 1
		}
		c.planOf[u] = plans[plan]
	}
	c.customers = newAlias(weights)
	return c
}
