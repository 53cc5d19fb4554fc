'use strict';
// An Express service as a user would write it: routes with parameters, spans of
// its own below those of the instrumentation, errors, correlation attributes.

const { sdk } = require('./telemetry');
const express = require('express');
const { trace, SpanKind, SpanStatusCode } = require('@opentelemetry/api');

const tracer = trace.getTracer('nodeservice', '4.5.6');
const app = express();
app.use(express.json());

app.get('/users/:userId', (req, res) => {
  trace.getActiveSpan().setAttributes({
    'user.id': req.params.userId,
    plan: 'free',
    'cart.total': 12.5,
    'cart.items': 3,
    'cart.gift': false,
    'cart.tags': ['a', 'b "quoted"', 'ü'],
    'cart.sizes': [1, 2, 3],
    unicode: 'zażółć 日本 🚀',
    empty: '',
  });
  tracer.startActiveSpan('load user', { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'redis' } }, (outer) => {
    tracer.startActiveSpan('cache lookup', (inner) => {
      inner.addEvent('cache.miss', { 'cache.key': `user:${req.params.userId}` });
      inner.end();
    });
    outer.setStatus({ code: SpanStatusCode.OK });
    outer.end();
  });
  res.json({ id: req.params.userId });
});

app.post('/orders/:orderId/pay', (req, res) => {
  trace.getActiveSpan().setAttributes({ 'order.id': req.params.orderId, 'order.amount': req.body.amount ?? 0 });
  res.status(201).json({ paid: true });
});

app.get('/fail/:orderId', (req) => {
  trace.getActiveSpan().setAttribute('order.id', req.params.orderId);
  throw new TypeError(`order ${req.params.orderId} has no customer`);
});

// The error handler notes the exception on the request's own span, as services do.
app.use((err, req, res, _next) => {
  const span = trace.getActiveSpan();
  span.recordException(err);
  span.setStatus({ code: SpanStatusCode.ERROR, message: err.message });
  res.status(500).json({ error: err.message });
});

const server = app.listen(0, '127.0.0.1', () => {
  const { address, port } = server.address();
  process.stdout.write(JSON.stringify({ ready: true, listen: `${address}:${port}` }) + '\n');
});

// Shutting the SDK down sends what is still queued.
process.on('SIGTERM', () => {
  server.closeAllConnections();
  server.close(() => sdk.shutdown().then(() => process.exit(0), (err) => {
    console.error(err);
    process.exit(1);
  }));
});
