package clickhouse

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Endpoint is a ClickHouse HTTP interface: the engine's or a server's.
type Endpoint struct {
	URL      string // http://host:port
	User     string
	Password string
	Database string
}

// Ask runs a statement with the parameter {database:String} and decodes each row
// of its JSONEachRow answer into one T.
func Ask[T any](ctx context.Context, e Endpoint, query string) ([]T, error) {
	answer, err := e.Post(ctx, query)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	var rows []T
	for decoder := json.NewDecoder(bufio.NewReader(answer)); ; {
		var row T
		if err := decoder.Decode(&row); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, fmt.Errorf("answer of %s: %w", e.URL, err)
		}
		rows = append(rows, row)
	}
}

// Post sends a statement and returns the body of a 200.
func (e Endpoint) Post(ctx context.Context, query string) (io.ReadCloser, error) {
	parameters := url.Values{
		"param_database": {e.Database},
		"default_format": {"JSONEachRow"},
		"output_format_json_quote_64bit_integers": {"0"},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(e.URL, "/")+"/?"+parameters.Encode(), strings.NewReader(query))
	if err != nil {
		return nil, fmt.Errorf("ClickHouse endpoint %s: %w", e.URL, err)
	}
	request.SetBasicAuth(e.User, e.Password)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("cannot reach ClickHouse: start it with `trackway up`, or name it with --endpoint: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		content, err := io.ReadAll(io.LimitReader(response.Body, 4096))
		return nil, errors.Join(fmt.Errorf("%s answered %s: %s", e.URL, response.Status, strings.TrimSpace(string(content))), err)
	}
	return response.Body, nil
}

// Run sends a statement and reads its answer to the end.
func (e Endpoint) Run(ctx context.Context, query string) error {
	answer, err := e.Post(ctx, query)
	if err != nil {
		return err
	}
	defer answer.Close()
	if _, err := io.Copy(io.Discard, answer); err != nil {
		return fmt.Errorf("answer of %s: %w", e.URL, err)
	}
	return nil
}
