package demo

import (
	"fmt"
	"math/rand/v2"
)

// Sizes of the demo's population: large enough that most customers are rare and
// a few are everywhere, as in a real system.
const (
	accountCount  = 400
	userCount     = 6000
	recentOrders  = 512
	sessionLength = 40 // requests a user makes before the next session
)

type account struct {
	id, plan, region string
}

type user struct {
	id       string
	account  *account
	agent    string
	ip       string
	session  string
	requests int
}

type order struct {
	id   string
	user *user
}

// world is everybody who uses the demo's API.
type world struct {
	users  []*user
	busy   *rand.Zipf
	orders [recentOrders]order // a ring of the latest
	placed int
}

var agents = []string{
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15",
	"Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
	"Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
	"acme-sdk-python/2.8.1", "acme-sdk-go/1.19.0", "acme-sdk-node/4.2.0", "acme-cli/0.14.2", "curl/8.17.0",
}

func newWorld(r, ids *rand.Rand) *world {
	plans := []string{"free", "free", "free", "team", "team", "business", "enterprise"}
	regions := []string{"eu-west", "eu-west", "us-east", "us-east", "us-west", "ap-south"}
	accounts := make([]*account, accountCount)
	for i := range accounts {
		accounts[i] = &account{
			id:     fmt.Sprintf("acc_%d", 100+i),
			plan:   plans[r.IntN(len(plans))],
			region: regions[r.IntN(len(regions))],
		}
	}
	// Accounts differ in size: a few hold most of the users.
	size := rand.NewZipf(r, 1.15, 4, accountCount-1)
	w := &world{users: make([]*user, userCount), busy: rand.NewZipf(r, 1.1, 20, userCount-1)}
	for i := range w.users {
		w.users[i] = &user{
			id:      fmt.Sprintf("u_%d", 1000+i),
			account: accounts[size.Uint64()],
			agent:   agents[r.IntN(len(agents))],
			ip:      fmt.Sprintf("%d.%d.%d.%d", 11+r.IntN(180), r.IntN(256), r.IntN(256), 1+r.IntN(254)),
		}
	}
	for range w.orders {
		w.place(w.users[r.IntN(userCount)], ids)
	}
	return w
}

// pick returns the user of the next request, in a running or a new session.
func (w *world) pick(ids *rand.Rand) *user {
	u := w.users[w.busy.Uint64()]
	if u.requests%sessionLength == 0 {
		u.session = "s_" + hexString(ids, 12)
	}
	u.requests++
	return u
}

// place makes a new order for u and keeps it among the recent ones.
func (w *world) place(u *user, ids *rand.Rand) order {
	o := order{id: "o_" + hexString(ids, 12), user: u}
	w.orders[w.placed%recentOrders] = o
	w.placed++
	return o
}

// recent returns one of the recent orders, later ones more often.
func (w *world) recent(r *rand.Rand) order {
	back := int(r.ExpFloat64() * recentOrders / 8)
	return w.orders[((w.placed-1-back)%recentOrders+recentOrders)%recentOrders]
}

const hexDigits = "0123456789abcdef"

// hexString returns n random hex digits.
func hexString(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := 0; i < n; i += 16 {
		bits := r.Uint64()
		for j := i; j < min(i+16, n); j++ {
			b[j] = hexDigits[bits&15]
			bits >>= 4
		}
	}
	return string(b)
}
