package deadletter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/trackwayhq/trackway/internal/admin"
)

// Listing is what GET answers.
type Listing struct {
	Directory string   `json:"directory"`
	Entries   []Listed `json:"entries"`
	Damaged   []Damage `json:"damaged"`
	Bytes     int64    `json:"bytes"`
	MaxBytes  int64    `json:"max_bytes"`
}

// Whole is an entry with its payload.
type Whole struct {
	Entry
	Payload []byte `json:"payload"`
}

// Selection names entries: by id, or all, or the places that cannot be read.
type Selection struct {
	IDs     []string `json:"ids,omitempty"`
	All     bool     `json:"all,omitempty"`
	Damaged bool     `json:"damaged,omitempty"`
}

// Outcome is what became of a selection.
type Outcome struct {
	// Done entries are no longer among the dead letters.
	Done []string `json:"done"`
	// Failed entries still are, with the reason.
	Failed map[string]string `json:"failed,omitempty"`
	// Damaged places that were forgotten.
	Damaged int `json:"damaged,omitempty"`
}

// Actions are what the owner of the dead letters does with an entry.
type Actions struct {
	// Replay offers the payload again, durably, before it returns nil.
	Replay func(ctx context.Context, e Entry) error
	// Dropped is told of an entry that the operator gave up, before it is removed.
	// It may be nil.
	Dropped func(ctx context.Context, e Entry) error
}

// Listing gives all entries without their payloads, and the damage.
func (s *Store) Listing() (Listing, error) {
	entries, err := s.List()
	if err != nil {
		return Listing{}, err
	}
	return Listing{Directory: s.dir, Entries: entries, Damaged: s.Damage(), Bytes: s.Stats().Bytes, MaxBytes: s.maxBytes}, nil
}

// Register adds the dead letters to the operator's socket under prefix, such as
// /deadletter/clickhouse_rollup. It answers
//
//	GET  prefix              Listing
//	GET  prefix/{id}         Whole
//	POST prefix/replay|drop  Selection → Outcome
func (s *Store) Register(r admin.Registrar, prefix string, a Actions) (remove func(), err error) {
	handlers := map[string]http.HandlerFunc{
		"GET " + prefix:              s.serveListing,
		"GET " + prefix + "/{id}":    s.serveEntry,
		"POST " + prefix + "/drop":   func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, a.drop) },
		"POST " + prefix + "/replay": func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, a.Replay) },
	}
	var removes []func()
	remove = func() {
		for _, r := range removes {
			r()
		}
	}
	for pattern, h := range handlers {
		r, err := r.Handle(pattern, h)
		if err != nil {
			remove()
			return nil, fmt.Errorf("dead letters: %w", err)
		}
		removes = append(removes, r)
	}
	return remove, nil
}

func (a Actions) drop(ctx context.Context, e Entry) error {
	if a.Dropped == nil {
		return nil
	}
	return a.Dropped(ctx, e)
}

func (s *Store) serveListing(w http.ResponseWriter, _ *http.Request) {
	list, err := s.Listing()
	if err != nil {
		admin.WriteError(w, http.StatusInternalServerError, err)
		return
	}
	admin.WriteJSON(w, http.StatusOK, list)
}

func (s *Store) serveEntry(w http.ResponseWriter, r *http.Request) {
	e, err := s.Read(r.PathValue("id"))
	switch {
	case errors.Is(err, ErrNotFound):
		admin.WriteError(w, http.StatusNotFound, err)
	case err != nil:
		admin.WriteError(w, http.StatusInternalServerError, err)
	default:
		admin.WriteJSON(w, http.StatusOK, Whole{Entry: e, Payload: e.Payload})
	}
}

func (s *Store) serve(w http.ResponseWriter, r *http.Request, do func(context.Context, Entry) error) {
	var sel Selection
	if err := json.NewDecoder(r.Body).Decode(&sel); err != nil {
		admin.WriteError(w, http.StatusBadRequest, fmt.Errorf(`want {"ids": […]} or {"all": true}: %w`, err))
		return
	}
	out, err := s.Take(r.Context(), sel, do)
	if err != nil {
		admin.WriteError(w, http.StatusInternalServerError, err)
		return
	}
	admin.WriteJSON(w, http.StatusOK, out)
}

// Take calls do for each entry of a selection and removes those for which it gave
// nil, each after it did: a crash in between leaves the entry, and do has to bear
// being called again.
func (s *Store) Take(ctx context.Context, sel Selection, do func(context.Context, Entry) error) (Outcome, error) {
	return s.take(sel, func(e Entry) error { return do(ctx, e) })
}

func (s *Store) take(sel Selection, do func(Entry) error) (Outcome, error) {
	ids := sel.IDs
	if sel.All {
		list, err := s.List()
		if err != nil {
			return Outcome{}, err
		}
		ids = ids[:0]
		for _, l := range list {
			ids = append(ids, l.ID)
		}
	}
	out := Outcome{Done: []string{}, Failed: map[string]string{}}
	for _, id := range ids {
		e, err := s.Read(id)
		if err == nil {
			err = do(e)
		}
		if err == nil {
			_, err = s.Remove(id)
		}
		if err != nil {
			out.Failed[id] = err.Error()
			continue
		}
		out.Done = append(out.Done, id)
	}
	if sel.Damaged {
		n, err := s.RemoveDamaged()
		if err != nil {
			return out, err
		}
		out.Damaged = n
	}
	return out, nil
}
