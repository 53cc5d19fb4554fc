package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/trackwayhq/trackway/internal/admin"
	"github.com/trackwayhq/trackway/internal/deadletter"
)

// Doubt is a unit of which it is not known what the store has.
type Doubt struct {
	// Unit is its id in 16 hexadecimal digits.
	Unit string `json:"unit"`
	// Window says which days its rows are of: 2·Window and 2·Window + 1 since 1970.
	Window int64 `json:"window"`
}

func (c *checker) admin() *admin.Client {
	return admin.NewClient(filepath.Join(c.Data, "run", "collector.sock"))
}

// askCollector has a running collector write its ledger.
func (c *checker) askCollector(ctx context.Context) error {
	if c.Data == "" {
		c.note("The collector was not asked, so its last counts may be missing, and neither queue nor dead letters were compared.")
		return nil
	}
	err := c.admin().Do(ctx, http.MethodPost, "/ledger/flush", nil, nil)
	if errors.Is(err, admin.ErrNotRunning) {
		c.note("No collector runs on %s: counts that wait in its journal are missing, and the queue was not compared.", c.Data)
		return nil
	}
	if err != nil {
		return fmt.Errorf("the collector's ledger: %w", err)
	}
	c.report.Collector = true
	err = c.admin().Do(ctx, http.MethodGet, c.path("/doubtful"), nil, &c.doubtful)
	if err != nil {
		return fmt.Errorf("units in doubt: %w", err)
	}
	return nil
}

func (c *checker) path(prefix string) string { return prefix + "/" + url.PathEscape(c.Exporter) }

func (c *checker) flush(ctx context.Context) error {
	if !c.report.Collector {
		return nil
	}
	if err := c.admin().Do(ctx, http.MethodPost, "/ledger/flush", nil, nil); err != nil {
		return fmt.Errorf("the collector's ledger: %w", err)
	}
	return nil
}

// pending compares what the ledger takes to be waiting with the sending queue: if
// that is empty nothing waits.
func (c *checker) pending(ctx context.Context) ([]Finding, error) {
	if !c.report.Collector {
		return nil, nil
	}
	var queues []struct {
		Client     string `json:"client"`
		Deliveries int    `json:"deliveries"`
	}
	if err := c.admin().Do(ctx, http.MethodGet, "/pending", nil, &queues); err != nil {
		return nil, err
	}
	deliveries := 0
	for _, q := range queues {
		if strings.Contains(q.Client, " "+c.Exporter+" ") {
			deliveries += q.Deliveries
		}
	}
	if err := c.flush(ctx); err != nil {
		return nil, err
	}
	sums, err := c.sums(ctx)
	if err != nil {
		return nil, err
	}
	var findings []Finding
	for _, s := range sums {
		switch {
		case s.Pending < 0:
			findings = append(findings, Finding{Check: "pending", Project: s.Project, Text: fmt.Sprintf("%d items more left the queue than entered it", -s.Pending)})
		case s.Pending > 0 && deliveries == 0:
			findings = append(findings, Finding{Check: "pending", Project: s.Project, Text: fmt.Sprintf("%d items are accepted and neither stored nor in the sending queue, which is empty", s.Pending), lost: s.Pending, column: pendingColumn})
		}
	}
	return findings, nil
}

// deadLetters compares the dead letters that are counted with those that are there.
func (c *checker) deadLetters(ctx context.Context) ([]Finding, error) {
	if c.Data == "" {
		return nil, nil
	}
	list, err := c.letters(ctx)
	if err != nil {
		return nil, err
	}
	there := map[string]int64{}
	for _, e := range list.Entries {
		there[e.Project] += int64(e.Items)
	}
	var findings []Finding
	for i := range list.Damaged {
		findings = append(findings, Finding{Check: "dead_letters", Text: list.Damaged[i].Error()})
	}
	sums, err := c.sums(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range sums {
		if n := there[s.Project]; n != s.DeadLetter {
			findings = append(findings, Finding{Check: "dead_letters", Project: s.Project, Text: fmt.Sprintf("%d items are counted as dead letters, %d are there", s.DeadLetter, n)})
		}
		delete(there, s.Project)
	}
	for project, n := range there {
		if n != 0 && project != "" {
			findings = append(findings, Finding{Check: "dead_letters", Project: project, Text: fmt.Sprintf("%d items are among the dead letters and were never counted", n)})
		}
	}
	return findings, nil
}

func (c *checker) letters(ctx context.Context) (list deadletter.Listing, err error) {
	if c.report.Collector {
		err := c.admin().Do(ctx, http.MethodGet, c.path("/deadletter"), nil, &list)
		return list, err
	}
	dir := filepath.Join(c.Data, "deadletter")
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	store, err := deadletter.Open(dir, 0)
	if err != nil {
		return list, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return store.Listing()
}
