package queryserver

import (
	"context"

	"github.com/trackwayhq/trackway/queryserver/internal/clickhouse"
)

// leastRoom is how much the store's disk must have free for inserts and merges to go
// on: a unit of insert has up to 16 MiB, and a part that is merged has to fit beside
// those it is made of.
const leastRoom = 128 << 20

// room gives the free bytes of the store's fullest disk; ok is false where the store
// does not tell, as a server may not tell its users.
func (a *api) room(ctx context.Context) (free uint64, ok bool) {
	q := clickhouse.Query{Name: "room", SQL: "SELECT min(free_space), count() FROM system.disks WHERE type = 'Local'"}
	_, err := a.store.Select(ctx, q, func(r *clickhouse.Reader) {
		free = r.Uint64()
		ok = r.Uint64() > 0
	})
	return free, ok && err == nil
}
