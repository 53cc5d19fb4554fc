package up

import (
	"net"
	"os"

	"github.com/trackwayhq/trackway/queryserver/metadata"
)

// Variables that are passed on as they are when the user has set them.
const (
	// MetadataEnv names the metadata database; its default is a file in the data
	// directory.
	MetadataEnv = "TRACKWAY_METADATA_DSN"
	tokenEnv    = "TRACKWAY_INTERNAL_TOKEN"
)

// environ is the environment of every child: this process's own, then what the
// configuration files refer to.
func environ(d *dataDir, a Addresses, password, token string) []string {
	return append(os.Environ(),
		MetadataEnv+"="+metadataDSN(d),
		tokenEnv+"="+setOr(tokenEnv, token),
		"TRACKWAY_QUERY_ENDPOINT=http://"+reachable(a.Query),
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

// budgetEnv passes the disk budget on when one is given; without, what the
// environment says is left alone.
func budgetEnv(limit string) []string {
	if limit == "" {
		return nil
	}
	return []string{"TRACKWAY_DISK_BUDGET=" + limit}
}

// collectorEnv keeps the collector's memory small beside the engine. Its live heap is
// 60 to 120 MB under load, most of it buffers that are used again: collecting sooner
// costs a few per cent of its CPU. The limit is for bursts of large bodies.
func collectorEnv() []string {
	return []string{"GOGC=" + setOr("GOGC", "75"), "GOMEMLIMIT=" + setOr("GOMEMLIMIT", "280MiB")}
}

// metadataDSN names the database of projects and keys.
func metadataDSN(d *dataDir) string {
	return setOr(MetadataEnv, metadata.FileDSN(d.join(metadata.FileName)))
}

// setOr gives a variable of this process, or the default where it is not set.
func setOr(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
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
