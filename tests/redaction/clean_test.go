package redaction_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackwayhq/trackway/internal/record"
	"github.com/trackwayhq/trackway/tests/harness"
)

// maxFalsePositives is the share of clean values that may be touched.
const maxFalsePositives = 0.001

// cleanValues are what services say that is no secret, by the attribute it stands
// under.
var cleanValues = map[string]func(c *corpus) string{
	"uuid": func(c *corpus) string {
		h := c.hexID(16)
		return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
	},
	"sha256":       func(c *corpus) string { return "sha256:" + c.hexID(32) },
	"git commit":   func(c *corpus) string { return c.hexID(20) },
	"short commit": func(c *corpus) string { return c.hexID(4)[:7] },
	"etag":         func(c *corpus) string { return `W/"` + c.hexID(8) + `"` },
	"version": func(c *corpus) string {
		return fmt.Sprintf("%d.%d.%d-beta.%d+build.%d", c.r.IntN(20), c.r.IntN(20), c.r.IntN(20), c.r.IntN(9), c.r.IntN(9999))
	},
	"time":      func(c *corpus) string { return c.time().Format(time.RFC3339Nano) },
	"http date": func(c *corpus) string { return c.time().Format(http.TimeFormat) },
	"epoch ms":  func(c *corpus) string { return fmt.Sprint(c.time().UnixMilli()) },
	"duration":  func(c *corpus) string { return (time.Duration(c.r.Int64N(1e11))).String() },
	"price": func(c *corpus) string {
		return fmt.Sprintf("EUR %d,%03d.%02d", 1+c.r.IntN(99), c.r.IntN(1000), c.r.IntN(100))
	},
	"order number":   func(c *corpus) string { return fmt.Sprintf("2026-%03d-%06d", c.r.IntN(1000), c.r.IntN(1e6)) },
	"order like tel": func(c *corpus) string { return fmt.Sprintf("555-%04d-%04d", c.r.IntN(1e4), c.r.IntN(1e4)) },
	"invoice":        func(c *corpus) string { return fmt.Sprintf("INV%08d", c.r.IntN(1e8)) },
	"sku": func(c *corpus) string {
		return c.chars("ABCDEFGHKLMN", 3) + "-" + c.chars(digits, 5) + "-" + c.chars("XYZ", 2)
	},
	"ean":      func(c *corpus) string { return "40" + c.chars(digits, 11) },
	"tracking": func(c *corpus) string { return "JD0" + c.chars(digits, 14) + "DE" },
	"file": func(c *corpus) string {
		return fmt.Sprintf("report_%s_%04d.final.pdf", c.chars(lower, 6), c.r.IntN(1e4))
	},
	"path": func(c *corpus) string {
		return fmt.Sprintf("/srv/app/releases/%s/node_modules/.bin/%s@%d.%d", c.time().Format("20060102150405"), c.chars(lower, 5), c.r.IntN(9), c.r.IntN(9))
	},
	"url": func(c *corpus) string {
		return fmt.Sprintf("https://shop.example/c/%s?page=%d&sort=price_asc&utm_source=news#top", c.chars(lower, 7), c.r.IntN(90))
	},
	"host": func(c *corpus) string {
		return fmt.Sprintf("ip-10-%d-%d-%d.eu-central-1.compute.internal", c.r.IntN(256), c.r.IntN(256), c.r.IntN(256))
	},
	"image": func(c *corpus) string {
		return "registry.example/shop/api:v1." + fmt.Sprint(c.r.IntN(50)) + "@sha256:" + c.hexID(32)
	},
	"user agent": func(c *corpus) string {
		return fmt.Sprintf("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_%d) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.%d Safari/605.1.15", c.r.IntN(9), c.r.IntN(9))
	},
	"sql": func(c *corpus) string {
		return fmt.Sprintf("SELECT o.id, o.total FROM orders o JOIN users u ON u.id = o.user_id WHERE o.state = '%s' AND o.created_at > '%s' LIMIT %d", c.chars(lower, 6), c.time().Format(time.DateTime), c.r.IntN(100))
	},
	"prepared sql": func(*corpus) string { return "UPDATE users SET password_hash = $1, updated_at = now() WHERE id = $2" },
	"json": func(c *corpus) string {
		return asJSON(map[string]any{"id": c.r.IntN(1e9), "sku": c.chars(lower, 8), "price": float64(c.r.IntN(1e5)) / 100, "tags": []string{c.chars(lower, 4)}, "note": `say "hi"`})
	},
	"log line": func(c *corpus) string {
		return fmt.Sprintf(`%s INFO [worker-%d] c.s.orders.Service: order=%d state=%s took=%dms cache: miss`, c.time().Format(time.DateTime), c.r.IntN(32), c.r.IntN(1e6), c.chars(lower, 6), c.r.IntN(900))
	},
	"access log": func(c *corpus) string {
		return fmt.Sprintf(`10.0.0.%d - - [30/Nov/2026:12:%02d:%02d +0000] "GET /p/%d HTTP/1.1" %d %d`, c.r.IntN(255), c.r.IntN(60), c.r.IntN(60), c.r.IntN(1e5), 200+c.r.IntN(300), c.r.IntN(1e6))
	},
	"prose": func(c *corpus) string {
		return c.pick([]string{
			"the password was wrong", "Unexpected token < in JSON at position 4", "invalid token: expired", "session expired, please sign in again", "token: missing",
			"no credentials found for this host", "secret not mounted", "rate limit: 5,000 per hour", "retry in 30s: connection reset by peer", "CSRF token mismatch",
			"api key is required", "cookie consent given", "authorization: denied", "tokens used: 512 of 4096", "max_tokens=512 temperature=0.7",
		})
	},
	"stack": func(c *corpus) string {
		return fmt.Sprintf("TypeError: Cannot read properties of undefined (reading '%s')\n    at Token.parse (/app/src/auth/token.js:%d:%d)\n    at async Password.check (/app/node_modules/@acme/password/index.js:%d:7)", c.chars(lower, 5), c.r.IntN(900), c.r.IntN(80), c.r.IntN(900))
	},
	"go stack": func(c *corpus) string {
		return fmt.Sprintf("goroutine %d [running]:\nmain.(*Secret).load(0xc000%s, {0x%s, 0x1a})\n\t/app/secret.go:%d +0x1d", c.r.IntN(900), c.hexID(3), c.hexID(4), c.r.IntN(900))
	},
	"nano id":     func(c *corpus) string { return c.chars(base64ID, 21) },
	"ulid":        func(c *corpus) string { return "01" + c.chars("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24) },
	"snowflake":   func(c *corpus) string { return fmt.Sprint(1_100_000_000_000_000_000 + c.r.Int64N(3e17)) },
	"coordinates": func(c *corpus) string { return fmt.Sprintf("%.6f,%.6f", c.r.Float64()*180-90, c.r.Float64()*360-180) },
	"mime": func(c *corpus) string {
		return "multipart/form-data; boundary=----WebKitFormBoundary" + c.chars(alnum, 16)
	},
	"accept": func(*corpus) string { return "text/html,application/xhtml+xml;q=0.9,image/avif,*/*;q=0.8" },
	"name": func(c *corpus) string {
		return c.pick([]string{"Ana Müller", "李雷", "O'Brien", "Zoë", "Иван"}) + " " + c.chars(lower, 5)
	},
	"template": func(c *corpus) string { return fmt.Sprintf("/users/{id}/orders/:order_id/items/%d", c.r.IntN(99)) },
	"yaml": func(c *corpus) string {
		return fmt.Sprintf("replicas: %d\nimage: api:v%d\nresources:\n  limits: {cpu: 500m, memory: 256Mi}", c.r.IntN(9), c.r.IntN(99))
	},
}

func (c *corpus) time() time.Time {
	return time.Unix(1_790_000_000+c.r.Int64N(5_000_000), c.r.Int64N(1e9)).UTC()
}

// TestClean sends what is no secret, and wants it stored as it was but for fewer
// than one value of a thousand.
func TestClean(t *testing.T) {
	const rounds = 60
	stack := harness.StartStack(t)
	c := &corpus{r: rand.New(rand.NewPCG(seed(t), 1))}
	want := make([]map[string]string, rounds)
	var body strings.Builder
	for i := range rounds {
		want[i] = map[string]string{}
		attributes := map[string]any{"round": fmt.Sprint(i)}
		for _, kind := range sortedKeys(cleanValues) {
			want[i][kind] = cleanValues[kind](c)
			attributes[kind] = want[i][kind]
		}
		body.WriteString(asJSON(map[string]any{"type": "request", "service": "clean", "attributes": attributes, "request_body": want[i]["json"], "path": "/p?" + "page=2&sort=asc"}) + "\n")
	}
	send(t, stack.NDJSON+"/v1/ingest", "application/x-ndjson", []byte(body.String()))
	var rows []record.JSON
	require.Eventually(t, func() bool {
		var err error
		rows, err = stack.TryList("requests", "service = 'clean'")
		return err == nil && len(rows) == rounds
	}, arrival, 100*time.Millisecond)
	touched, values := 0, 0
	for _, row := range rows {
		var round int
		_, err := fmt.Sscan(row.Attributes["round"], &round)
		require.NoError(t, err)
		for kind, value := range want[round] {
			values++
			if row.Attributes[kind] != value {
				touched++
				t.Logf("%s %q became %q", kind, value, row.Attributes[kind])
			}
		}
		var stored map[string]any
		assert.NoError(t, json.Unmarshal([]byte(row.RequestBody), &stored))
	}
	t.Logf("%d of %d clean values touched", touched, values)
	assert.LessOrEqual(t, float64(touched), maxFalsePositives*float64(values))
}
