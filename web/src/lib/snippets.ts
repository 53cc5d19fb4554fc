// What to run to make data appear: shown where there is none.

/** The senders' endpoints as they are when everything runs on the machine that serves this page. */
const NDJSON_PORT = 4319;
const OTLP_HTTP_PORT = 4318;

export function curlSnippet(host: string): string {
  return `curl -sS http://${host}:${NDJSON_PORT}/v1/ingest \\
  -H 'Content-Type: application/x-ndjson' \\
  -d '{"type":"request","service":"api","method":"GET","route":"/hello","path":"/hello","status":200,"duration_ms":12.5}'`;
}

export function otelSnippet(host: string): string {
  return `export OTEL_SERVICE_NAME=my-service
export OTEL_EXPORTER_OTLP_ENDPOINT=http://${host}:${OTLP_HTTP_PORT}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`;
}
