// A failing request with its trace: what the tests look for among the demo's traffic.

import { randomBytes } from 'node:crypto';

/** Items for NDJSON, all in one trace and about one order; `mark` makes them findable. */
export function failingOrder(mark) {
  const start = Date.now() - 2000;
  const at = (ms) => new Date(start + ms).toISOString();
  const traceId = randomBytes(16).toString('hex');
  const [root, reserve, select] = [0, 1, 2].map(() => randomBytes(8).toString('hex'));
  const orderId = `o_${mark}`;
  const service = `shop-${mark}`;
  const route = `/orders/:id/pay-${mark}`;
  const error = {
    type: 'StockTimeout',
    message: 'the stock service did not answer within 800 ms',
    stack:
      'StockTimeout: the stock service did not answer\n    at reserve (stock.js:41:11)\n    at pay (orders.js:12:3)',
  };
  const span = (name, spanId, parent, ms, length, more) => ({
    type: 'span',
    name,
    ts: at(ms),
    duration_ms: length,
    service,
    trace_id: traceId,
    span_id: spanId,
    parent_span_id: parent,
    ...more,
  });
  const items = [
    {
      type: 'request',
      ts: at(0),
      service,
      env: 'test',
      release: 'v1.4.2',
      method: 'POST',
      route,
      path: `/orders/${orderId}/pay`,
      status: 503,
      duration_ms: 812.4,
      trace_id: traceId,
      span_id: root,
      request_headers: { 'content-type': 'application/json' },
      request_body: JSON.stringify({ sku: 'bolt-m8', count: 40 }),
      response_body: JSON.stringify({ error: 'try again' }),
      attributes: { mark },
      correlation: { order_id: orderId, user_id: `u_${mark}` },
      error,
    },
    span('reserve stock', reserve, root, 10, 800, { kind: 'client', status: 'error' }),
    span('SELECT stock', select, reserve, 20, 12, {
      kind: 'client',
      status: 'ok',
      attributes: { 'db.system.name': 'postgresql' },
    }),
    {
      type: 'event',
      name: 'order.failed',
      ts: at(811),
      severity: 'error',
      message: `order ${orderId} was not paid`,
      service,
      trace_id: traceId,
      span_id: root,
      correlation: { order_id: orderId },
    },
  ];
  return { items, traceId, orderId, service, route, error };
}
