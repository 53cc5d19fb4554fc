package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxAnswer bounds an answer that is read whole, in bytes. Statements that may
// answer more are read as a stream.
const maxAnswer = 64 << 20

// Client sends statements to one endpoint. The zero value of HTTP is the default
// client, without a time limit: mutations are awaited.
type Client struct {
	URL            string // http://host:port
	User, Password string
	HTTP           *http.Client
}

// Query runs one statement and gives its answer without the last line break,
// TabSeparated unless the statement says otherwise.
func (c *Client) Query(ctx context.Context, sql string) (string, error) {
	body, err := c.Stream(ctx, sql, nil)
	if err != nil {
		return "", err
	}
	defer body.Close()
	answer, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	if err != nil {
		return "", fmt.Errorf("reading the answer of %s: %w", c.URL, err)
	}
	if len(answer) > maxAnswer {
		return "", fmt.Errorf("the answer of %s is larger than %d bytes: %s", c.URL, maxAnswer, abbreviate(sql))
	}
	return strings.TrimSuffix(string(answer), "\n"), nil
}

// Stream runs one statement with settings and gives the body of its answer, which
// the caller closes. An exception that comes after the first byte is cut into the
// answer by the server: formats that are read here end in a way that shows it.
func (c *Client) Stream(ctx context.Context, sql string, settings map[string]string) (io.ReadCloser, error) {
	params := url.Values{}
	for name, value := range settings {
		params.Set(name, value)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(c.URL, "/")+"/?"+params.Encode(), strings.NewReader(sql))
	if err != nil {
		return nil, fmt.Errorf("ClickHouse endpoint %s: %w", c.URL, err)
	}
	if c.User != "" {
		req.Header.Set("X-ClickHouse-User", c.User)
		req.Header.Set("X-ClickHouse-Key", c.Password)
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err // the URL is said once
		}
		return nil, fmt.Errorf("cannot reach ClickHouse at %s: %w", c.URL, err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
		if err != nil {
			return nil, fmt.Errorf("reading the answer of %s: %w", c.URL, err)
		}
		return nil, newError(resp, string(text), sql)
	}
	return resp.Body, nil
}
