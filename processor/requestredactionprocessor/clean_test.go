package requestredactionprocessor

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maxFalsePositives is the share of clean values that may be touched.
const maxFalsePositives = 0.001

// cleanValues make random values that are no secrets.
var cleanValues = map[string]func(*rand.Rand) string{
	"uuid": func(r *rand.Rand) string {
		h := hexOf(r, 16)
		return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	},
	"trace id":        func(r *rand.Rand) string { return hexOf(r, 16) },
	"sha256":          func(r *rand.Rand) string { return "sha256:" + hexOf(r, 32) },
	"commit":          func(r *rand.Rand) string { return hexOf(r, 20) },
	"etag":            func(r *rand.Rand) string { return `W/"` + hexOf(r, 10) + `"` },
	"base64 of bytes": func(r *rand.Rand) string { return chars(r, alnums+"+/", 44) },
	"nano id":         func(r *rand.Rand) string { return chars(r, alnums+"_-", 21) },
	"ulid":            func(r *rand.Rand) string { return "01" + chars(r, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24) },
	"epoch ms":        func(r *rand.Rand) string { return fmt.Sprint(1700000000000 + r.Int64N(1e11)) },
	"epoch µs":        func(r *rand.Rand) string { return fmt.Sprint(1700000000000000 + r.Int64N(1e14)) },
	"epoch ns":        func(r *rand.Rand) string { return fmt.Sprint(1700000000000000000 + r.Int64N(1e17)) },
	"time": func(r *rand.Rand) string {
		return time.Unix(1.7e9+r.Int64N(1e8), r.Int64N(1e9)).UTC().Format(time.RFC3339Nano)
	},
	"float":        func(r *rand.Rand) string { return fmt.Sprint(r.Float64() * 1000) },
	"order":        func(r *rand.Rand) string { return fmt.Sprintf("order-2026-%06d", r.IntN(1e6)) },
	"small number": func(r *rand.Rand) string { return fmt.Sprint(r.IntN(1e9)) },
	"long number":  func(r *rand.Rand) string { return fmt.Sprint(1e10 + r.Int64N(9e10)) },
	"snowflake":    func(r *rand.Rand) string { return fmt.Sprint(1100000000000000000 + r.Int64N(3e17)) },
	"version": func(r *rand.Rand) string {
		return fmt.Sprintf("v%d.%d.%d-rc.%d", r.IntN(30), r.IntN(30), r.IntN(30), r.IntN(9))
	},
	"host": func(r *rand.Rand) string {
		return fmt.Sprintf("api-%s-%s.shop.svc.cluster.local", hexOf(r, 5), chars(r, lower, 5))
	},
	"address": func(r *rand.Rand) string {
		return fmt.Sprintf("10.%d.%d.%d:%d", r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(65536))
	},
	"path": func(r *rand.Rand) string {
		return fmt.Sprintf("/projects/%d/tasks/%s", r.IntN(1e6), chars(r, lower, 8))
	},
	"url": func(r *rand.Rand) string {
		return fmt.Sprintf("https://shop.example/p/%d?page=%d&q=%s%%20%s&sort=created_at", r.IntN(1e6), r.IntN(99), chars(r, lower, 5), chars(r, lower, 6))
	},
	"sql": func(r *rand.Rand) string {
		return fmt.Sprintf("SELECT id FROM %s WHERE n = %d AND s IN ('%s', '%s') AND t > '2026-11-%02d 12:00:00'", chars(r, lower, 6), r.IntN(1e9), chars(r, lower, 5), hexOf(r, 8), 1+r.IntN(30))
	},
	"json": func(r *rand.Rand) string {
		return asJSON(map[string]any{"id": r.IntN(1e9), "ts": 1700000000000 + r.Int64N(1e11), "sku": chars(r, "ABCDEFGH0123456789", 8), "price": r.Float64(), "note": "say \"" + chars(r, lower, 7) + "\""})
	},
	"stack": func(r *rand.Rand) string {
		return fmt.Sprintf("Error: %s\n    at %s.%s (/app/node_modules/@%s/%s/index.js:%d:%d)\n", chars(r, lower, 8), chars(r, lower, 5), chars(r, lower, 6), chars(r, lower, 4), chars(r, lower, 7), r.IntN(999), r.IntN(80))
	},
	"access log": func(r *rand.Rand) string {
		return fmt.Sprintf(`10.0.0.%d - - [30/Nov/2026:12:%02d:%02d +0000] "GET /p/%d HTTP/1.1" %d %d "-" "curl/8.5.0" %.3f`, r.IntN(255), r.IntN(60), r.IntN(60), r.IntN(1e5), 200+r.IntN(300), r.IntN(1e6), r.Float64())
	},
	"matrix": func(r *rand.Rand) string {
		return fmt.Sprintf("%d %d %d %d", r.IntN(100), r.IntN(1000), r.IntN(10000), r.IntN(10000))
	},
}

func hexOf(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(256))
	}
	return hex.EncodeToString(b)
}

// Values that are no secrets stay as they are, but for fewer than one of a
// thousand.
func TestFalsePositives(t *testing.T) {
	p := newTestRedaction(t, createDefaultConfig().(*Config)).begin()
	r := rand.New(rand.NewPCG(3, 4))
	const each = 2000
	touched := 0
	for kind, make := range cleanValues {
		of := 0
		for range each {
			in := make(r)
			for _, shape := range []shape{shapeProse, shapeForm, shapeSQL} {
				if out, changed := p.text(in, shape, 0); changed {
					of++
					t.Logf("%s %q became %q", kind, in, out)
					break
				}
			}
		}
		assert.LessOrEqual(t, of, each/200, "of %s", kind)
		touched += of
	}
	assert.LessOrEqual(t, float64(touched), maxFalsePositives*float64(each*len(cleanValues)))
}

func TestCleanByHand(t *testing.T) {
	p := newTestRedaction(t, createDefaultConfig().(*Config)).begin()
	lines, err := os.ReadFile("testdata/clean.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(lines)) {
		in := strings.TrimSuffix(line, "\n")
		for _, shape := range []shape{shapeProse, shapeForm, shapeCookie, shapeSQL} {
			out, _ := p.text(in, shape, 0)
			assert.Equal(t, in, out)
		}
	}
}
