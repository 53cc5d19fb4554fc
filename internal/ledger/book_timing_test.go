package ledger_test

import (
	"fmt"
	"testing"

	"github.com/trackwayhq/trackway/internal/alongside"
	"github.com/trackwayhq/trackway/internal/groupcommit"
	"github.com/trackwayhq/trackway/internal/ledger"
)

// BenchmarkOffer stores a delivery of one project without waiting for the sync,
// with its count and without.
func BenchmarkOffer(b *testing.B) {
	for _, counted := range []bool{false, true} {
		b.Run(fmt.Sprintf("counted=%t", counted), func(b *testing.B) {
			l := begin(b, b.TempDir(), roomy)
			value := make([]byte, 1000)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				ctx, _ := groupcommit.WithTicket(b.Context())
				if counted {
					ctx, _ = alongside.NewContext(ctx, l.Offered(1, ledger.Items{Project: "shop", Items: 5})...)
				}
				if err := l.queue.Set(ctx, fmt.Sprint(i%100), value); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
