package keys_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// answer is what a sender was told.
type answer struct {
	status     int    // HTTP, or what the gRPC code stands for
	retryAfter string // Retry-After, or the delay in seconds; empty without
	text       string
}

// sender delivers one request of a service with a header.
type sender func(t *testing.T, g *gateway, service, header, value string) answer

// senders are the three ways in.
var senders = map[string]sender{"NDJSON": sendNDJSON, "OTLP/HTTP": sendHTTP, "OTLP/gRPC": sendGRPC}

func bearer(key string) (header, value string) { return "Authorization", "Bearer " + key }

func post(t *testing.T, url, contentType string, body io.Reader, headers ...string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
	require.NoError(t, err)
	req.Header.Set("Content-Type", contentType)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{status: res.StatusCode, retryAfter: res.Header.Get("Retry-After"), text: string(text)}
}

func line(service string) string {
	return fmt.Sprintf(`{"type":"request","service":%q,"method":"GET","route":"/","status":200}`+"\n", service)
}

func sendNDJSON(t *testing.T, g *gateway, service, header, value string) answer {
	t.Helper()
	return post(t, "http://"+g.ndjson+"/v1/ingest", "application/x-ndjson", strings.NewReader(line(service)), header, value)
}

func export(service string) ptraceotlp.ExportRequest {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", service)
	rs.Resource().Attributes().PutStr("trackway.project", "forged")
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetKind(ptrace.SpanKindServer)
	span.SetTraceID([16]byte{1})
	span.SetSpanID([8]byte{1})
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(time.Now().Add(-time.Second)))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(time.Now()))
	span.Attributes().PutStr("http.request.method", "GET")
	span.Attributes().PutStr("http.route", "/")
	return ptraceotlp.NewExportRequestFromTraces(td)
}

func sendHTTP(t *testing.T, g *gateway, service, header, value string) answer {
	t.Helper()
	body, err := export(service).MarshalProto()
	require.NoError(t, err)
	return post(t, "http://"+g.http+"/v1/traces", "application/x-protobuf", bytes.NewReader(body), header, value)
}

// httpStatus is what gRPC codes stand for.
var httpStatus = map[codes.Code]int{
	codes.OK: http.StatusOK, codes.Unauthenticated: http.StatusUnauthorized, codes.PermissionDenied: http.StatusForbidden,
	codes.ResourceExhausted: http.StatusTooManyRequests, codes.Unavailable: http.StatusServiceUnavailable, codes.Canceled: http.StatusRequestTimeout,
}

func sendGRPC(t *testing.T, g *gateway, service, header, value string) answer {
	t.Helper()
	return callGRPC(t, g, export(service), header, value)
}

func callGRPC(t *testing.T, g *gateway, req ptraceotlp.ExportRequest, header, value string, options ...grpc.CallOption) answer {
	t.Helper()
	conn, err := grpc.NewClient(g.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if header != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, header, value)
	}
	_, err = ptraceotlp.NewGRPCClient(conn).Export(ctx, req, options...)
	s := status.Convert(err)
	code, ok := httpStatus[s.Code()]
	require.True(t, ok, "unexpected code: %v", err)
	a := answer{status: code, text: s.Message()}
	for _, detail := range s.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			a.retryAfter = strconv.FormatFloat(info.GetRetryDelay().AsDuration().Seconds(), 'f', -1, 64)
		}
	}
	return a
}
