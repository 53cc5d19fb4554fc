package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

var tracer = otel.Tracer("github.com/trackwayhq/trackway/tests/senders/goservice", trace.WithInstrumentationVersion("1.2.3"))

// routes gives the service: parameters in routes, spans below requests, a call
// to the peer, an error with its stack, a message with its consumer, an RPC.
//
// Both ways to use otelhttp are here, because they send different spans: around
// each handler it sends http.route, around a whole mux (/legacy) the template is
// only in the span's name.
func routes(peer string) http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, h http.HandlerFunc) {
		mux.Handle(pattern, otelhttp.NewHandler(h, pattern))
	}
	handle("GET /projects/{id}/tasks", listTasks)
	handle("POST /orders/{id}", payOrder(peer))
	handle("GET /fail/{id}", fail)
	handle("POST /messages/{id}", publish)
	handle("POST /rpc/{id}", rpc)

	legacy := http.NewServeMux()
	legacy.HandleFunc("GET /legacy/{id}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	wrapped := otelhttp.NewHandler(legacy, "legacy")

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/legacy/") {
			wrapped.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// listTasks carries one attribute of each type that OTLP knows.
func listTasks(w http.ResponseWriter, r *http.Request) {
	request := trace.SpanFromContext(r.Context())
	request.SetAttributes(
		attribute.String("user.id", r.URL.Query().Get("user")),
		attribute.String("plan", "enterprise"),
		attribute.Int64("tasks.count", 9007199254740993), // beyond a double's integers
		attribute.Float64("tasks.ratio", 0.1),
		attribute.Float64("tasks.tiny", 1.5e-12),
		attribute.Bool("tasks.archived", true),
		attribute.StringSlice("tasks.tags", []string{"a", "b \"quoted\"", "ü"}),
		attribute.Int64Slice("tasks.ids", []int64{1, -2, 3}),
		attribute.Float64Slice("tasks.scores", []float64{0.5, 1.25}),
		attribute.BoolSlice("tasks.flags", []bool{true, false}),
		attribute.String("empty", ""),
		attribute.String("unicode", "zażółć 日本 🚀"),
		attribute.String("multiline", "line one\nline\ttwo \\ 'quoted'"),
	)
	ctx, outer := tracer.Start(r.Context(), "load tasks", trace.WithAttributes(attribute.String("db.system.name", "postgresql")))
	_, inner := tracer.Start(ctx, "SELECT tasks", trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("db.query.text", "SELECT * FROM tasks WHERE project = $1"), attribute.Int("db.rows", 3)))
	inner.AddEvent("rows.fetched", trace.WithAttributes(attribute.Int("rows", 3)))
	inner.SetStatus(codes.Ok, "")
	inner.End()
	outer.End()
	_, _ = io.WriteString(w, `{"tasks":[1,2,3]}`)
}

// payOrder calls the peer, which continues the trace.
func payOrder(peer string) http.HandlerFunc {
	client := &http.Client{Transport: otelhttp.NewTransport(http.DefaultTransport)}
	return func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		trace.SpanFromContext(r.Context()).SetAttributes(
			attribute.String("order.id", id),
			attribute.String("user.id", r.URL.Query().Get("user")),
		)
		if peer != "" {
			call, err := http.NewRequestWithContext(r.Context(), http.MethodPost, peer+"/orders/"+id+"/pay", r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			call.Header.Set("Content-Type", "application/json")
			answer, err := client.Do(call)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
				return
			}
			_, _ = io.Copy(io.Discard, answer.Body) // read to its end: otelhttp ends the client span there
			_ = answer.Body.Close()
		}
		w.WriteHeader(http.StatusCreated)
	}
}

var errTimeout = errors.New("inventory did not answer within 800 ms")

func fail(w http.ResponseWriter, r *http.Request) {
	span := trace.SpanFromContext(r.Context())
	span.SetAttributes(attribute.String("order.id", r.PathValue("id")))
	err := fmt.Errorf("order %s: %w", r.PathValue("id"), errTimeout)
	span.RecordError(err, trace.WithStackTrace(true))
	span.SetStatus(codes.Error, err.Error())
	http.Error(w, err.Error(), http.StatusInternalServerError)
}

// publish sends a message to itself: a producer span below the request, and a
// consumer span in a trace of its own that links to it.
func publish(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	_, producer := tracer.Start(r.Context(), "send invoices", trace.WithSpanKind(trace.SpanKindProducer),
		trace.WithAttributes(attribute.String("messaging.system", "kafka"), attribute.String("messaging.destination.name", "invoices")))
	producer.End()
	_, consumer := tracer.Start(context.Background(), "process invoices", trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithLinks(trace.Link{SpanContext: producer.SpanContext(), Attributes: []attribute.KeyValue{attribute.String("reason", "message")}}),
		trace.WithAttributes(
			attribute.String("messaging.system", "kafka"),
			attribute.String("messaging.destination.name", "invoices"),
			attribute.String("messaging.operation.name", "process"),
			attribute.String("order.id", id),
		))
	consumer.End()
	w.WriteHeader(http.StatusAccepted)
}

// rpc stands for a gRPC server's span that ended with NOT_FOUND.
func rpc(w http.ResponseWriter, r *http.Request) {
	_, server := tracer.Start(context.Background(), "billing.Invoices/Get", trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(
			attribute.String("rpc.system", "grpc"),
			attribute.String("rpc.service", "billing.Invoices"),
			attribute.String("rpc.method", "Get"),
			attribute.Int("rpc.grpc.status_code", 5),
			attribute.String("order.id", r.PathValue("id")),
		))
	server.End()
	w.WriteHeader(http.StatusNoContent)
}
