package projectauthextension

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/trackwayhq/trackway/internal/admission"
	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/retention"
)

// hash is the SHA-256 of a whole key. Keys are random, so a plain hash keeps them
// secret, and looking it up takes no time that depends on the key.
type hash [sha256.Size]byte

// never is the expiry of keys without one.
const never = math.MaxInt64

// key is what is known about a key.
type key struct {
	owner   *owner
	expires int64 // ns since the epoch
}

// owner is a project as authentication data: every request with one of its keys
// shares it.
type owner struct {
	project string
	limits  admission.Limits
	// refusal answers the keys of a project that takes no data.
	refusal *admission.Refusal
}

// GetAttribute gives the project's id and limits.
func (o *owner) GetAttribute(name string) any {
	switch name {
	case conventions.Project:
		return o.project
	case admission.LimitsAttribute:
		return &o.limits
	}
	return nil
}

// GetAttributeNames lists the attributes.
func (*owner) GetAttributeNames() []string {
	return []string{conventions.Project, admission.LimitsAttribute}
}

// table is an answer of the query server. It does not change.
type table struct {
	version string
	etag    string
	keys    map[hash]key
	// ttlDays is for how long projects keep raw records, those that say so.
	ttlDays map[string]uint16
}

// document is the answer's form, version 1 of the cache too.
type document struct {
	Version string `json:"version"`
	Keys    []struct {
		Hash    string     `json:"hash"`
		Project string     `json:"project"`
		ID      string     `json:"id"`
		Expires *time.Time `json:"expires,omitempty"`
	} `json:"keys"`
	Projects []struct {
		ID       string           `json:"id"`
		TTLDays  uint16           `json:"ttl_days"`
		Archived bool             `json:"archived,omitempty"`
		Limits   admission.Limits `json:"limits"`
	} `json:"projects"`
}

// parseTable reads an answer. Entries that cannot be used are left out and
// described in skipped: one of them must not keep the others from being revoked.
func parseTable(data []byte, etag string) (t *table, skipped []string, err error) {
	var doc document
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, nil, fmt.Errorf("keys of the query server: want an object with keys and projects: %w", err)
	}
	if doc.Version == "" {
		return nil, nil, errors.New("keys of the query server: want an object with version, keys and projects, got one without version")
	}
	owners := make(map[string]*owner, len(doc.Projects))
	ttlDays := make(map[string]uint16, len(doc.Projects))
	for i, p := range doc.Projects {
		if !conventions.ValidProject(p.ID) {
			skipped = append(skipped, fmt.Sprintf("projects[%d]: %q is no project id", i, p.ID))
			continue
		}
		o := &owner{project: p.ID, limits: p.Limits}
		if p.Archived {
			o.refusal = admission.Forbidden("archived_project", fmt.Sprintf("project %s is archived and takes no data", p.ID))
		}
		owners[p.ID] = o
		if p.TTLDays > 0 {
			ttlDays[p.ID] = p.TTLDays
		}
	}
	t = &table{version: doc.Version, etag: etag, keys: make(map[hash]key, len(doc.Keys)), ttlDays: ttlDays}
	for i, k := range doc.Keys {
		h, err := parseHash(k.Hash)
		if err != nil {
			skipped = append(skipped, fmt.Sprintf("keys[%d] (%s): hash: %v", i, k.ID, err))
			continue
		}
		o := owners[k.Project]
		if o == nil {
			skipped = append(skipped, fmt.Sprintf("keys[%d] (%s): project %q is not among the projects", i, k.ID, k.Project))
			continue
		}
		entry := key{owner: o, expires: never}
		if k.Expires != nil {
			entry.expires = nanoseconds(*k.Expires)
		}
		t.keys[h] = entry
	}
	return t, skipped, nil
}

// nanoseconds since the epoch, with times that have none at the ends of the range.
func nanoseconds(t time.Time) int64 {
	switch year := t.Year(); {
	case year < 1970:
		return 0
	case year > 2261:
		return never
	}
	return t.UnixNano()
}

// lookup finds a key without allocating.
func lookup(keys map[hash]key, secret string) (key, bool) {
	var buf [maxKeyLen]byte
	k, ok := keys[sha256.Sum256(buf[:copy(buf[:], secret)])]
	return k, ok
}

var _ retention.Provider = (*projectAuth)(nil)

// TTLDays gives for how long a project keeps its raw records, as the query server
// last said.
func (a *projectAuth) TTLDays(project string) (days uint16, ok bool) {
	t := a.table.Load()
	if t == nil {
		return 0, false
	}
	days, ok = t.ttlDays[project]
	return days, ok
}
