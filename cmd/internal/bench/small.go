package bench

import (
	"github.com/trackwayhq/trackway/cmd/internal/bench/stack"
	"github.com/trackwayhq/trackway/cmd/internal/bench/workload"
)

// fileStorageArm is the peer of small requests.
const fileStorageArm = "file_storage"

// small has many senders wait for the disk: what group commit is for. The peer is
// the same collector with the same exporter, whose queue is over the upstream
// storage.
func (b *Bench) small() []*arm {
	spec := b.spec(workload.NDJSON, workload.Mix{}, 64, 1, 0, 10)
	return []*arm{
		{name: "trackway", spec: spec},
		{name: fileStorageArm, spec: spec, change: overFileStorage, notes: []string{
			"the collector and exporter of the other arm; only sending_queue::storage is file_storage of contrib, with fsync, in place of journal_storage",
		}},
	}
}

// overFileStorage puts our exporter's queue over file_storage.
func overFileStorage(c stack.Config) (stack.Config, error) {
	c.Extension("file_storage", stack.Config{
		"directory": "${env:TRACKWAY_DATA}/queue", "create_directory": true, "fsync": true,
	})
	c.Set("file_storage", "exporters", "clickhouse_rollup", "sending_queue", "storage")
	return c, nil
}
