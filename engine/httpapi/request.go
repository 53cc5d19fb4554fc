package httpapi

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trackwayhq/trackway/engine/chdb"
)

// Limits of a request, each with ClickHouse's default.
const (
	defaultMaxQuerySize   = 256 << 10 // max_query_size: bytes of a statement before its data
	defaultBufferSize     = 1 << 20   // buffer_size: bytes of a result held back before headers are sent
	defaultSessionTimeout = 60 * time.Second
	maxSessionTimeout     = time.Hour
	maxBufferSize         = 8 << 20  // of buffer_size: it is memory of every such request at once
	maxMaxQuerySize       = 64 << 20 // of max_query_size
)

// setting is one URL parameter that names a setting of the engine.
type setting struct{ name, value string }

// request is what the URL and the headers of an HTTP request say.
type request struct {
	query          string // of the URL; the body continues it
	queryID        string
	database       string
	defaultFormat  string
	hasCredentials bool // in the URL
	user, password string
	settings       []setting // sorted by name
	params         chdb.Params
	external       []externalTable

	sessionID      string
	sessionTimeout time.Duration
	sessionCheck   bool
	closeSession   bool

	compress, decompress bool // ClickHouse's block compression of the answer, of the body
	protocolVersion      uint64
	waitEndOfQuery       bool
	bufferSize           int
	maxQuerySize         int
	readonly             bool // the method allows no change
}

// setting returns the value of a setting the URL gives, "" without one.
func (r *request) setting(name string) string {
	for _, s := range r.settings {
		if s.name == name {
			return s.value
		}
	}
	return ""
}

func truth(value string) bool { return value == "1" || strings.EqualFold(value, "true") }

// readRequest reads the URL and the headers. The errors are exceptions.
func readRequest(r *http.Request) (*request, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, exception(codeBadArguments, "BAD_ARGUMENTS", "Cannot parse the URL parameters: %v", err)
	}
	request := &request{
		queryID:        r.Header.Get("X-ClickHouse-Query-Id"),
		database:       r.Header.Get("X-ClickHouse-Database"),
		defaultFormat:  r.Header.Get("X-ClickHouse-Format"),
		params:         chdb.Params{},
		sessionTimeout: defaultSessionTimeout,
		bufferSize:     defaultBufferSize,
		maxQuerySize:   defaultMaxQuerySize,
		readonly:       r.Method == http.MethodGet || r.Method == http.MethodHead,
	}
	if request.external, err = readForm(r, values); err != nil {
		return nil, err
	}
	for name, list := range values {
		if err := request.set(name, list[len(list)-1]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(request.settings, func(a, b setting) int { return strings.Compare(a.name, b.name) })
	if request.queryID == "" {
		request.queryID = newQueryID()
	}
	return request, nil
}

// set takes one URL parameter; what is not a parameter of the interface itself
// is a setting.
func (r *request) set(name, value string) error {
	var err error
	switch name {
	case "query":
		r.query = value
	case "query_id":
		r.queryID = value
	case "database":
		r.database = value
	case "default_format":
		r.defaultFormat = value
	case "user":
		r.user, r.hasCredentials = value, true
	case "password":
		r.password, r.hasCredentials = value, true
	case "quota_key", "stacktrace", "role", "profile", "http_method":
		// They concern users and quotas, of which the engine has one and none.
	case "session_id":
		r.sessionID = value
	case "session_timeout":
		r.sessionTimeout, err = sessionTimeout(value)
	case "session_check":
		r.sessionCheck = truth(value)
	case "close_session":
		r.closeSession = truth(value)
	case "compress":
		r.compress = truth(value)
	case "decompress":
		r.decompress = truth(value)
	case "client_protocol_version":
		r.protocolVersion, err = number(name, value)
	case "wait_end_of_query":
		r.waitEndOfQuery = truth(value)
	case "buffer_size":
		var size uint64
		size, err = number(name, value)
		r.bufferSize = int(min(size, maxBufferSize))
	default:
		if param, ok := strings.CutPrefix(name, "param_"); ok {
			r.params[param] = value
			return nil
		}
		if name == "max_query_size" {
			var size uint64
			size, err = number(name, value)
			r.maxQuerySize = int(min(size, maxMaxQuerySize))
		}
		r.settings = append(r.settings, setting{name, value})
	}
	return err
}

func number(name, value string) (uint64, error) {
	n, err := strconv.ParseUint(value, 10, 63)
	if err != nil {
		return 0, exception(codeBadArguments, "BAD_ARGUMENTS", "Cannot parse %s: want an unsigned number, got '%s'", name, value)
	}
	return n, nil
}

func sessionTimeout(value string) (time.Duration, error) {
	seconds, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return 0, exception(codeInvalidTimeout, "INVALID_SESSION_TIMEOUT", "Invalid session timeout: '%s'", value)
	}
	timeout := time.Duration(seconds) * time.Second
	if timeout > maxSessionTimeout {
		return 0, exception(codeInvalidTimeout, "INVALID_SESSION_TIMEOUT", "Session timeout '%s' is larger than max_session_timeout: %d. Maximum session timeout could be modified in configuration file", value, int(maxSessionTimeout.Seconds()))
	}
	return timeout, nil
}

// newQueryID returns a random UUID, version 4.
func newQueryID() string {
	var b [16]byte
	// It never fails: crypto/rand.Read ends the program instead.
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
