package correlationprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/processor/correlationprocessor/internal/metadata"
)

// What a span of 17 attributes, three of them keys, costs.
func BenchmarkSpan(b *testing.B) {
	carry := CarryConfig{MaxTraces: 10000, MaxBytes: defaultCarryBytes, TTL: time.Minute}
	everything := func(c *Config) {
		c.Paths = []string{"/carts/{cart_id}", "/orders/{order_id}/items/*"}
		c.AdditionalKeys = []KeyConfig{
			{Key: "tenant", Headers: []string{"x-tenant"}, Query: []string{"tenant"}},
			{Key: "cart_id", Baggage: []string{"cart"}, Body: []string{"cart.id"}},
		}
	}
	for name, change := range map[string]func(*Config){
		"default":                       func(*Config) {},
		"carried":                       func(c *Config) { c.CarryForward = carry },
		"hashed":                        func(c *Config) { c.Hash = HashConfig{Secret: testSecret, Keys: []string{"user_id"}} },
		"path, query, baggage and body": everything,
	} {
		b.Run(name, func(b *testing.B) {
			cfg := createDefaultConfig().(*Config)
			change(cfg)
			c, err := newCorrelation(processortest.NewNopSettings(metadata.Type), cfg)
			require.NoError(b, err)
			m := pcommon.NewMap()
			for i := range 10 {
				m.PutStr("app.attribute."+string(rune('a'+i)), "value")
			}
			m.PutStr("url.path", "/orders/o_1/items/7")
			m.PutStr("url.query", "a=b&tenant=t_1&page=7")
			m.PutStr("baggage", "cart=c_1,region=eu")
			m.PutStr(conventions.RequestBody, `{"cart":{"id":"c_1","items":[{"id":1,"n":2}]},"coupon":"X"}`)
			m.PutStr("user.id", "u_1")
			m.PutStr("order.id", "o_1")
			m.PutStr("session.id", "s_1")
			var ks keys
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				removeKeys(m) // of the round before
				// Eight spans to a trace.
				c.record(&ks, pcommon.TraceID{byte(i >> 3), byte(i >> 11), byte(i >> 19), 1}, m, nil)
			}
		})
	}
}
