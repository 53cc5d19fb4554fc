package admissionextension

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"go.uber.org/zap"

	"github.com/trackwayhq/trackway/internal/statefile"
)

// usageVersion is the version of the usage file's format.
const usageVersion = 1

// usageDocument is what projects sent on a day.
type usageDocument struct {
	Format   int               `json:"format"`
	Day      string            `json:"day"` // of UTC, 2006-01-02
	Projects map[string]amount `json:"projects"`
}

// load gives projects what they sent earlier today.
func (ps *projects) load(path string, now time.Time) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var doc usageDocument
	if err := json.Unmarshal(data, &doc); err != nil {
		return fmt.Errorf("%s: %w: remove it to begin the day anew", path, err)
	}
	if doc.Format != usageVersion {
		return fmt.Errorf("%s: format %d, want %d", path, doc.Format, usageVersion)
	}
	date, err := time.Parse(time.DateOnly, doc.Day)
	if err != nil {
		return fmt.Errorf("%s: day: %w: remove it to begin the day anew", path, err)
	}
	if dayOf(date) < dayOf(now) {
		return nil
	}
	for id, today := range doc.Projects {
		if p := ps.get(id); p != nil {
			p.day, p.today = dayOf(date), today
		}
	}
	return nil
}

// snapshot is what projects have sent today.
func (ps *projects) snapshot(now time.Time) usageDocument {
	today := dayOf(now)
	doc := usageDocument{Format: usageVersion, Day: now.UTC().Format(time.DateOnly), Projects: map[string]amount{}}
	ps.mu.RLock()
	defer ps.mu.RUnlock()
	for id, p := range ps.byID {
		if d, sent := p.usage(); d == today && sent != (amount{}) {
			doc.Projects[id] = sent
		}
	}
	return doc
}

// keepUsage writes the usage file every flush_interval if there is something new,
// and a last time when stop is closed.
func (a *admissionExtension) keepUsage(stop <-chan struct{}) {
	ticker := time.NewTicker(a.cfg.FlushInterval)
	defer ticker.Stop()
	var written string
	failing := false
	for last := false; !last; {
		select {
		case <-stop:
			last = true
		case <-ticker.C:
		}
		now := time.Now()
		a.projects.sweep(now)
		if a.cfg.UsageFile == "" {
			continue
		}
		data, err := json.Marshal(a.projects.snapshot(now))
		if err == nil && string(data) == written {
			continue
		}
		if err == nil {
			err = statefile.Replace(a.cfg.UsageFile, data, now)
		}
		switch {
		case err == nil:
			written = string(data)
		case !failing:
			a.set.Logger.Error("Cannot keep what projects sent today; a restart would forget it", zap.String("usage_file", a.cfg.UsageFile), zap.Error(err))
		}
		failing = err != nil
	}
}
