package contrib_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/metric"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// How much is sent.
const (
	spanCount = 500
	logCount  = 300
)

var shop = resource.NewSchemaless(attribute.String("service.name", "contrib-shop"), attribute.String("team", "a\tb'c;d"))

// sentSpan is one span whose stored values are compared.
type sentSpan struct {
	traceID, spanID, parentID string
	start, end                time.Time
}

// sendTraces sends spanCount spans in pairs of parent and child, and gives the
// last child.
func sendTraces(t *testing.T, endpoint string) sentSpan {
	t.Helper()
	ctx := context.Background()
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL("http://"+endpoint+"/v1/traces"))
	require.NoError(t, err)
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(shop))
	tracer := provider.Tracer("contrib", trace.WithInstrumentationVersion("1.0"))
	base := time.Now().Add(-time.Minute).UTC()
	var last sentSpan
	for i := range spanCount / 2 {
		start := base.Add(time.Duration(i)*time.Millisecond + 123*time.Nanosecond)
		parentCtx, parent := tracer.Start(ctx, "parent", trace.WithTimestamp(start), trace.WithSpanKind(trace.SpanKindServer))
		_, child := tracer.Start(parentCtx, "child", trace.WithTimestamp(start.Add(time.Microsecond)),
			trace.WithLinks(trace.Link{SpanContext: parent.SpanContext(), Attributes: []attribute.KeyValue{attribute.String("why", "test")}}),
			trace.WithAttributes(attribute.Int("i", i), attribute.StringSlice("tags", []string{"x", "ü"})))
		child.AddEvent("note", trace.WithTimestamp(start.Add(2*time.Microsecond)), trace.WithAttributes(attribute.String("k", "v;'\t")))
		child.SetStatus(codes.Error, "broken")
		end := start.Add(7 * time.Millisecond)
		child.End(trace.WithTimestamp(end))
		parent.End(trace.WithTimestamp(end))
		last = sentSpan{
			traceID: child.SpanContext().TraceID().String(), spanID: child.SpanContext().SpanID().String(),
			parentID: parent.SpanContext().SpanID().String(), start: start.Add(time.Microsecond), end: end,
		}
	}
	require.NoError(t, provider.Shutdown(ctx))
	return last
}

// sendLogs sends logCount log records.
func sendLogs(t *testing.T, endpoint string) {
	t.Helper()
	ctx := context.Background()
	exporter, err := otlploghttp.New(ctx, otlploghttp.WithEndpointURL("http://"+endpoint+"/v1/logs"))
	require.NoError(t, err)
	provider := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(exporter)), sdklog.WithResource(shop))
	logger := provider.Logger("contrib")
	for i := range logCount {
		var r log.Record
		r.SetTimestamp(time.Now())
		r.SetSeverity(log.SeverityWarn)
		r.SetSeverityText("WARN")
		r.SetBody(attribute.StringValue(fmt.Sprintf("line %d: it's \"odd\"; ü", i)))
		r.AddAttributes(attribute.Int("i", i), attribute.String("kind", "test"))
		logger.Emit(ctx, r)
	}
	require.NoError(t, provider.Shutdown(ctx))
}

// sendMetrics sends one point of each kind of metric.
func sendMetrics(t *testing.T, endpoint string) {
	t.Helper()
	ctx := context.Background()
	exporter, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL("http://"+endpoint+"/v1/metrics"))
	require.NoError(t, err)
	provider := sdkmetric.NewMeterProvider(
		sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter, sdkmetric.WithInterval(time.Hour))), // sent once, at the end
		sdkmetric.WithResource(shop),
		sdkmetric.WithView(sdkmetric.NewView(
			sdkmetric.Instrument{Name: "exponential"},
			sdkmetric.Stream{Aggregation: sdkmetric.AggregationBase2ExponentialHistogram{MaxSize: 160, MaxScale: 20}},
		)),
	)
	meter := provider.Meter("contrib")
	kind := metric.WithAttributes(attribute.String("kind", "test"))

	counter, err := meter.Int64Counter("sum")
	require.NoError(t, err)
	gauge, err := meter.Float64Gauge("gauge")
	require.NoError(t, err)
	histogram, err := meter.Float64Histogram("histogram", metric.WithExplicitBucketBoundaries(10, 100, 1000))
	require.NoError(t, err)
	exponential, err := meter.Float64Histogram("exponential")
	require.NoError(t, err)
	counter.Add(ctx, 40, kind)
	counter.Add(ctx, 2, kind)
	gauge.Record(ctx, 36.6, kind)
	for _, v := range []float64{5, 50, 50, 500, 5000} {
		histogram.Record(ctx, v, kind)
		exponential.Record(ctx, v, kind)
	}
	require.NoError(t, provider.Shutdown(ctx))
}
