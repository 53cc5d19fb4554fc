package query

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/trackwayhq/trackway/cmd/internal/clickhouse"
)

// shape says where in an answer its hits are.
type shape int

const (
	otherShape shape = iota
	rowsShape
	journeyShape
	traceShape
	recordShape
	histogramShape
	groupsShape
	facetsShape
	overviewShape
	streamShape
)

// answer is what came back, and how long it took.
type answer struct {
	took      time.Duration // to the last byte; of streams, to the first
	refused   bool          // 429 or 503
	hits      int64
	rowsRead  uint64
	bytesRead uint64
}

// body has the fields that hits are counted in, of every endpoint.
type body struct {
	Rows    []json.RawMessage          `json:"rows"`
	Records json.RawMessage            `json:"records"`
	Series  []struct{ Counts []int64 } `json:"series"`
	Groups  []struct{ Count int64 }    `json:"groups"`
	Facets  []struct{ Count int64 }    `json:"facets"`
	Tiles   struct {
		Requests struct{ Value float64 }
	} `json:"tiles"`
	Stats struct {
		RowsRead  uint64 `json:"rows_read"`
		BytesRead uint64 `json:"bytes_read"`
	} `json:"stats"`
}

// asking bounds one question; the query server gives up before.
const asking = 2 * time.Minute

// client keeps its connection, as a browser does.
var client = &http.Client{Timeout: asking, Transport: &http.Transport{MaxIdleConnsPerHost: 4, DisableCompression: true}}

// askAPI asks the query server.
func askAPI(ctx context.Context, base string, a *Ask) (answer, error) {
	url := base + "/api/v1/projects/" + a.Project + "/" + a.Path
	if len(a.Params) > 0 {
		url += "?" + a.Params.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return answer{}, fmt.Errorf("ask %s: %w", url, err)
	}
	start := time.Now()
	response, err := client.Do(request)
	if err != nil {
		return answer{}, fmt.Errorf("ask %s: %w", url, err)
	}
	defer response.Body.Close()
	out := answer{}
	reader := io.Reader(response.Body)
	if a.Shape == streamShape {
		first := make([]byte, 1)
		if _, err := io.ReadFull(reader, first); err != nil {
			return answer{}, fmt.Errorf("ask %s: %w", url, err)
		}
		out.took = time.Since(start)
		reader = io.MultiReader(bytes.NewReader(first), reader)
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		return answer{}, fmt.Errorf("answer of %s: %w", url, err)
	}
	if a.Shape != streamShape {
		out.took = time.Since(start)
	}
	switch response.StatusCode {
	case http.StatusOK:
		return out, out.count(a.Shape, content)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		out.refused = true
		return out, nil
	}
	return out, fmt.Errorf("ask %s: answered %s: %.300s", url, response.Status, content)
}

// count reads hits and statistics.
func (out *answer) count(s shape, content []byte) error {
	if s == streamShape {
		out.hits = int64(bytes.Count(content, []byte(`"type":"span"`)))
		return nil
	}
	var b body
	if s == recordShape {
		out.hits = 1
		return nil
	}
	if err := json.Unmarshal(content, &b); err != nil {
		return fmt.Errorf("answer %.100q: %w", content, err)
	}
	out.rowsRead, out.bytesRead = b.Stats.RowsRead, b.Stats.BytesRead
	switch s {
	case rowsShape, journeyShape:
		out.hits = int64(len(b.Rows))
	case traceShape:
		var records []json.RawMessage
		if err := json.Unmarshal(b.Records, &records); err != nil {
			return fmt.Errorf("records of a trace: %w", err)
		}
		out.hits = int64(len(records))
	case histogramShape:
		for _, series := range b.Series {
			for _, n := range series.Counts {
				out.hits += n
			}
		}
	case groupsShape:
		for _, g := range b.Groups {
			out.hits += g.Count
		}
	case facetsShape:
		if len(b.Facets) > 0 {
			out.hits = b.Facets[0].Count
		}
	case overviewShape:
		out.hits = int64(b.Tiles.Requests.Value)
	}
	return nil
}

// askSQL asks the store, without planner and condition cache.
func askSQL(ctx context.Context, e clickhouse.Endpoint, sql string) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL+"/?default_format=Native&use_query_condition_cache=0&wait_end_of_query=1", bytes.NewReader([]byte(sql)))
	if err != nil {
		return answer{}, fmt.Errorf("ask the engine: %w", err)
	}
	request.SetBasicAuth(e.User, e.Password)
	start := time.Now()
	response, err := client.Do(request)
	if err != nil {
		return answer{}, fmt.Errorf("ask the engine: %w", err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	out := answer{took: time.Since(start)}
	if err != nil || response.StatusCode != http.StatusOK {
		return out, fmt.Errorf("the engine answered %s to %s: %.300s (%w)", response.Status, sql, content, err)
	}
	var summary struct {
		Rows  string `json:"read_rows"`
		Bytes string `json:"read_bytes"`
	}
	if err := json.Unmarshal([]byte(response.Header.Get("X-ClickHouse-Summary")), &summary); err != nil {
		return out, fmt.Errorf("summary of the engine: %w", err)
	}
	out.rowsRead, _ = strconv.ParseUint(summary.Rows, 10, 64) // 0 where it is not told
	out.bytesRead, _ = strconv.ParseUint(summary.Bytes, 10, 64)
	return out, nil
}
