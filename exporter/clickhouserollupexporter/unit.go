package clickhouserollupexporter

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/trackwayhq/trackway/internal/record"
)

// part is the rows of one request in one unit.
type part struct {
	req  *request
	rows []*record.Record
	size int
}

// unit is the rows that are inserted together.
type unit struct {
	id       uint64
	parts    []part
	rows     int
	bytes    int
	deadline time.Time // when it is closed at the latest
}

func newUnit(deadline time.Time) *unit {
	return &unit{id: rand.Uint64(), deadline: deadline}
}

// token is the deduplication token of the unit's insert into a table.
func (u *unit) token(t table) string {
	var id [8]byte
	binary.BigEndian.PutUint64(id[:], u.id)
	return hex.EncodeToString(id[:]) + "-" + t.String()
}

// byTable marks the unit's rows with its id and sorts them out by table, in the
// order of the tables' keys, which spares the store the sorting.
func (u *unit) byTable() (rows [tableCount][]*record.Record) {
	for _, p := range u.parts {
		for _, r := range p.rows {
			r.Unit = u.id
			t := tableOf(r.Kind)
			rows[t] = append(rows[t], r)
		}
	}
	for _, rs := range rows {
		slices.SortStableFunc(rs, func(a, b *record.Record) int {
			if c := cmp.Compare(a.Project, b.Project); c != 0 {
				return c
			}
			return a.Time.Compare(b.Time)
		})
	}
	return rows
}

// done tells every request in the unit what became of it.
func (u *unit) done(err error) {
	for _, p := range u.parts {
		p.req.partDone(err)
	}
}
