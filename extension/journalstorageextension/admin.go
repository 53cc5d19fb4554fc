package journalstorageextension

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/trackwayhq/trackway/internal/admin"
)

var _ admin.Registrar = (*journalStorage)(nil)

// Serving says whether there is an admin socket.
func (e *journalStorage) Serving() bool { return e.admin.Serving() }

// Handle adds a handler to the admin socket, whether it is open or not.
func (e *journalStorage) Handle(pattern string, h http.Handler) (remove func(), err error) {
	return e.admin.Handle(pattern, h)
}

// HandleErasure adds a part of the collector that personal data has to be removed
// from.
func (e *journalStorage) HandleErasure(name string, erase admin.Eraser) (remove func()) {
	return e.admin.HandleErasure(name, erase)
}

// openAdmin opens the admin socket if one is configured.
func (e *journalStorage) openAdmin() error {
	if e.config.AdminSocket == "" {
		return nil
	}
	for pattern, h := range map[string]http.HandlerFunc{
		"GET /pending":        e.servePending,
		"GET /journal":        e.serveStats,
		"POST /journal/scrub": e.serveScrub,
		"POST /erase":         e.serveErase,
	} {
		if _, err := e.admin.Handle(pattern, h); err != nil {
			return err
		}
	}
	if err := e.admin.Listen(e.config.AdminSocket); err != nil {
		return fmt.Errorf("admin_socket: %w", err)
	}
	return nil
}

// Pending is what one component has in the journal.
type Pending struct {
	// Client is the component's kind, id and the name it took.
	Client string `json:"client"`
	// Deliveries are the items of its sending queue.
	Deliveries int   `json:"deliveries"`
	Bytes      int64 `json:"bytes"`
	// Oldest is since when the oldest has been waiting, at least: what was there
	// when the collector started counts from then.
	Oldest *time.Time `json:"oldest,omitempty"`
}

func (e *journalStorage) servePending(w http.ResponseWriter, _ *http.Request) {
	// A queue numbers its items; what else it keeps has a name.
	isItem := func(key string) bool { _, err := strconv.ParseUint(key, 10, 64); return err == nil }
	out := []Pending{}
	for _, u := range e.journal.Usage(isItem) {
		if !strings.HasPrefix(u.Name, component.KindExporter.String()+" ") {
			continue
		}
		p := Pending{Client: u.Name, Deliveries: u.Keys, Bytes: u.Bytes}
		if u.Oldest != 0 {
			at := time.Unix(u.Oldest, 0).UTC()
			p.Oldest = &at
		}
		out = append(out, p)
	}
	admin.WriteJSON(w, http.StatusOK, out)
}

func (e *journalStorage) serveStats(w http.ResponseWriter, _ *http.Request) {
	s := e.journal.Stats()
	admin.WriteJSON(w, http.StatusOK, map[string]any{
		"directory": e.config.Directory, "max_bytes": e.config.MaxBytes, "disk_bytes": s.DiskBytes, "live_bytes": s.LiveBytes,
		"keys": s.Keys, "syncs": s.Syncs, "torn_tails": s.TornTails, "refused_batches": s.Refused,
	})
}

func (e *journalStorage) serveScrub(w http.ResponseWriter, r *http.Request) {
	if err := e.journal.Scrub(r.Context()); err != nil {
		admin.WriteError(w, http.StatusServiceUnavailable, err)
		return
	}
	admin.WriteJSON(w, http.StatusOK, struct{}{})
}

// Erasure is the answer to POST /erase.
type Erasure struct {
	Erased []admin.Erased `json:"erased"`
	// Complete says that no part holds anything of it any more, nor the journal's
	// files what was deleted from it before.
	Complete bool `json:"complete"`
}

func (e *journalStorage) serveErase(w http.ResponseWriter, r *http.Request) {
	var who admin.Erasure
	err := json.NewDecoder(r.Body).Decode(&who)
	if err == nil && (who.Project == "" || who.Key == "" || who.Value == "") {
		err = errors.New("project, key and value: want all three")
	}
	if err != nil {
		admin.WriteError(w, http.StatusBadRequest, err)
		return
	}
	answer := Erasure{Erased: e.admin.Erase(r.Context(), who), Complete: true}
	journal := admin.Erased{Part: "journal files"}
	if err := e.journal.Scrub(r.Context()); err != nil {
		journal.Error = err.Error()
	}
	answer.Erased = append(answer.Erased, journal)
	for _, part := range answer.Erased {
		answer.Complete = answer.Complete && part.Error == ""
	}
	admin.WriteJSON(w, http.StatusOK, answer)
}
