package clickhouserollupexporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/trackwayhq/trackway/internal/schema"
	"github.com/trackwayhq/trackway/internal/schema/migrate"
)

// store is the ClickHouse HTTP interface with our tables behind it.
type store struct {
	client             *http.Client
	endpoint           string
	username, password string
	database           string
	cluster            string // "" for one server
	createSchema       bool

	// mu is held while the schema is looked at, so that of many inserts one
	// creates it and the others wait.
	mu    sync.Mutex
	ready bool
}

// insertSettings make an insert exact: one block, written before the answer,
// refused when its token was stored before, in the tables behind views as well.
var insertSettings = url.Values{
	"async_insert":       {"0"},
	"insert_deduplicate": {"1"},
	"deduplicate_blocks_in_dependent_materialized_views": {"1"},
	"max_insert_block_size":                              {strconv.Itoa(maxBlockRows)},
	"min_insert_block_size_rows":                         {strconv.Itoa(maxBlockRows)},
	"min_insert_block_size_bytes":                        {"0"},
	"wait_end_of_query":                                  {"1"},
}

// insert stores one Native block under a token. A block whose token is known is
// not stored again.
func (s *store) insert(ctx context.Context, table, columns, token string, block []byte) error {
	params := url.Values{}
	for k, v := range insertSettings {
		params[k] = v
	}
	if s.cluster != "" {
		// The answer means stored on the shards; each of them knows the token.
		params.Set("distributed_foreground_insert", "1")
	}
	params.Set("insert_deduplication_token", token)
	params.Set("query", fmt.Sprintf("INSERT INTO %s.%s (%s) FORMAT Native", s.database, table, columns))
	_, err := s.post(ctx, params, block)
	return err
}

// query runs a statement and gives its answer.
func (s *store) query(ctx context.Context, sql string) (string, error) {
	return s.post(ctx, url.Values{"wait_end_of_query": {"1"}}, []byte(sql))
}

// maxAnswer is more than any answer we ask for.
const maxAnswer = 1 << 16

func (s *store) post(ctx context.Context, params url.Values, body []byte) (answer string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint+"/?"+params.Encode(), bytes.NewReader(body))
	if err != nil {
		return "", fmt.Errorf("request to the store: %w", err)
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	if s.username != "" {
		req.Header.Set("X-ClickHouse-User", s.username)
		req.Header.Set("X-ClickHouse-Key", s.password)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		// The URL holds the whole statement; the endpoint is enough.
		if ue := new(url.Error); errors.As(err, &ue) {
			err = ue.Err
		}
		return "", fmt.Errorf("store unreachable at %s: %w", s.endpoint, err)
	}
	defer func() {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)) // so that the connection can be used again
		_ = resp.Body.Close()
	}()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return "", fmt.Errorf("reading the store's answer: %w", err)
	}
	answer = strings.TrimSpace(string(text))
	return answer, answerError(resp, answer)
}

// ensureSchema sees to it that the tables are there at this release's version,
// once; they are created or upgraded if that is allowed.
func (s *store) ensureSchema(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready {
		return nil
	}
	release, err := s.query(ctx, "SELECT version()")
	if err != nil {
		return fmt.Errorf("reading the store's version: %w", err)
	}
	o := s.options()
	o.NoTextIndex = !schema.HasTextIndex(release)
	if s.createSchema {
		_, err = migrate.Apply(ctx, s.query, o, nil)
	} else {
		var plan migrate.Plan
		if plan, err = migrate.Make(ctx, s.query, o); err == nil && !plan.UpToDate() {
			err = &schemaMismatch{fmt.Errorf("database %s has schema version %d, want %d: set create_schema: true or run trackway migrate",
				plan.Database, plan.Have, plan.Want)}
		}
	}
	if migrate.Refused(err) {
		return &schemaMismatch{err}
	}
	s.ready = err == nil
	return err
}

// options say where the tables are.
func (s *store) options() schema.Options {
	return schema.Options{Database: s.database, Cluster: s.cluster}
}

// forgetSchema makes the next insert look at the schema again.
func (s *store) forgetSchema() {
	s.mu.Lock()
	s.ready = false
	s.mu.Unlock()
}
