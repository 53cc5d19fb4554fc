package up

import (
	"net"
	"os"
)

// environ is the environment of every child: this process's own, then what the
// configuration files refer to.
func environ(d *dataDir, a Addresses, password string) []string {
	return append(os.Environ(),
		"TRACKWAY_DATA="+d.path,
		"TRACKWAY_ENGINE_PASSWORD="+password,
		"TRACKWAY_CLICKHOUSE_ENDPOINT=http://"+reachable(a.Engine),
		"TRACKWAY_CLICKHOUSE_USER=default",
		"TRACKWAY_CLICKHOUSE_PASSWORD="+password,
		"TRACKWAY_OTLP_GRPC_ENDPOINT="+a.OTLPGRPC,
		"TRACKWAY_OTLP_HTTP_ENDPOINT="+a.OTLPHTTP,
		"TRACKWAY_NDJSON_ENDPOINT="+a.NDJSON,
		"TRACKWAY_LIVE_TAIL_ENDPOINT="+a.LiveTail,
		"TRACKWAY_HEALTH_ENDPOINT="+a.Health,
		"TRACKWAY_QUERY_LISTEN="+a.Query,
	)
}

// urls are the addresses of a as clients on this machine reach them.
func (a Addresses) urls() URLs {
	return URLs{
		UI:       "http://" + reachable(a.Query),
		API:      "http://" + reachable(a.Query) + "/api/v1/projects/default",
		OTLPGRPC: reachable(a.OTLPGRPC),
		OTLPHTTP: "http://" + reachable(a.OTLPHTTP),
		NDJSON:   "http://" + reachable(a.NDJSON) + "/v1/ingest",
		Engine:   "http://" + reachable(a.Engine),
		LiveTail: "http://" + reachable(a.LiveTail),
		Health:   "http://" + reachable(a.Health),
	}
}

// reachable turns a listening address into one to connect to: an unspecified
// host such as 0.0.0.0 is reached through loopback.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
