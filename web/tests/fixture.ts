// A made-up API for component tests: answers that are complete and always the
// same. What the real one answers is tested end to end in tests/ui.

import type {
  Histogram,
  Journey,
  LatencyHeatmap,
  Overview,
  Page,
  RouteHeatmap,
  Row,
  Trace,
} from '../src/lib/types';

export const NOW = Date.parse('2026-11-30T12:00:00Z');
const FROM = new Date(NOW - 3600e3).toISOString();
const TO = new Date(NOW).toISOString();
export const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

const ROUTES = [
  ['api', 'GET', '/projects/:id/tasks'],
  ['api', 'POST', '/projects/:id/tasks'],
  ['api', 'GET', '/projects'],
  ['auth', 'POST', '/login'],
  ['billing', 'POST', '/orders/:id/pay'],
  ['search', 'GET', '/search'],
] as const;

/** A generator with a fixed seed (mulberry32), so that every run draws the same. */
function seeded(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function request(i: number, more: Partial<Row> = {}): Row {
  const random = seeded(i + 1);
  const [service, method, route] = ROUTES[i % ROUTES.length] ?? ROUTES[0];
  const status = i % 17 === 3 ? 500 : i % 9 === 4 ? 404 : 200;
  const ms = Math.exp(3 + random() * 3);
  return {
    id: (i + 1).toString(16).padStart(32, '0'),
    type: 'request',
    ts: new Date(NOW - i * 1370).toISOString(),
    project: 'default',
    service,
    env: 'prod',
    release: 'v1.4.2',
    kind: 'http',
    method,
    route,
    path: route.replace(':id', String(i)),
    status,
    span_status: status >= 500 ? 'error' : 'unset',
    duration: Math.round(ms * 1e6),
    duration_ms: ms,
    trace_id: TRACE_ID,
    span_id: '00f067aa0ba902b7',
    request_id: `r-${i}`,
    user_agent: 'curl/8.5.0',
    client_ip: '203.0.113.9',
    request_bytes: 310,
    response_bytes: 9200,
    attributes: { plan: 'enterprise', 'feature.flag': 'new-checkout' },
    correlation: { user_id: 'u_1137', account_id: 'acc_108' },
    request_headers: { 'content-type': 'application/json' },
    request_body: '{"title":"Write the report","tags":["a","b"]}',
    response_body: '{"error":"timeout"}',
    resource: { 'service.name': service },
    ...(status >= 500
      ? {
          error_type: 'TimeoutError',
          error_message: 'inventory did not answer within 800 ms',
          error_stack: 'TimeoutError: inventory did not answer\n    at call (client.js:41:11)',
        }
      : {}),
    ...more,
  };
}

const trace: Trace = {
  trace_id: TRACE_ID,
  truncated: false,
  duration_ms: 812,
  spans: [],
  roots: ['a'.repeat(32)],
  critical_path: [],
  services: [],
  records: [
    request(3, { id: 'a'.repeat(32), ts: TO, duration: 812e6, duration_ms: 812 }),
    ...[
      ['b1', '00f067aa0ba902b7', 'auth.check', 'auth', 4, 30, 'ok'],
      ['b2', '00f067aa0ba902b7', 'SELECT tasks', 'api', 40, 120, 'ok'],
      ['b3', '00f067aa0ba902b7', 'GET inventory', 'api', 170, 630, 'error'],
      ['b4', 'b3', 'reserve', 'inventory', 180, 610, 'error'],
      ['b5', 'b4', 'redis GET', 'inventory', 190, 3, 'ok'],
    ].map(([id, parent, name, service, start, ms, status]): Row => ({
      id: String(id).padStart(32, '0'),
      type: 'span',
      ts: new Date(NOW + Number(start)).toISOString(),
      project: 'default',
      service: String(service),
      name: String(name),
      kind: 'client',
      span_id: String(id),
      parent_span_id: String(parent),
      trace_id: TRACE_ID,
      span_status: String(status),
      duration: Number(ms) * 1e6,
      duration_ms: Number(ms),
      attributes: { 'db.system': 'postgresql' },
    })),
    {
      id: 'e'.repeat(32),
      type: 'event',
      ts: new Date(NOW + 790).toISOString(),
      project: 'default',
      service: 'inventory',
      name: 'exception',
      severity: 17,
      message: 'no answer from redis',
      error_type: 'TimeoutError',
      span_id: 'b4',
      trace_id: TRACE_ID,
    },
  ],
};

const random = seeded(7);
const wave = (i: number) => 1 + 0.4 * Math.sin(i / 7);

const histogram: Histogram = {
  from: FROM,
  to: TO,
  step_s: 60,
  source: 'cnt_m',
  series: [
    {
      key: '2xx',
      counts: Array.from({ length: 60 }, (_, i) => Math.round(900 * wave(i) + 90 * random())),
    },
    { key: '4xx', counts: Array.from({ length: 60 }, () => Math.round(40 + 30 * random())) },
    {
      key: '5xx',
      counts: Array.from({ length: 60 }, (_, i) => Math.round(i > 30 && i < 42 ? 160 : 6)),
    },
  ],
};

const buckets = Array.from({ length: 28 }, (_, i) => ({
  lo_ms: 2 ** (i / 2),
  hi_ms: 2 ** ((i + 1) / 2),
}));

const latency: LatencyHeatmap = {
  from: FROM,
  step_s: 60,
  columns: 60,
  buckets,
  cells: Array.from({ length: 60 * 28 }, (_, k) => {
    const [column, bucket] = [Math.floor(k / 28), k % 28];
    const slow = column > 30 && column < 42 && bucket > 18 ? 60 : 0;
    return [column, bucket, Math.round(800 * Math.exp(-((bucket - 9) ** 2) / 14) + slow)];
  }).filter(([, , n = 0]) => n > 0),
};

const routes: RouteHeatmap = {
  from: FROM,
  step_s: 60,
  columns: 60,
  routes: ROUTES.map(([service, method, route]) => ({ service, method, route })),
  cells: Array.from({ length: 60 * ROUTES.length }, (_, k) => {
    const [column, route] = [Math.floor(k / ROUTES.length), k % ROUTES.length];
    const bad = column > 30 && column < 42 && route % 2 === 0;
    return [column, route, 150, bad ? 40 : column % 13 === 0 ? 1 : 0, bad ? 900 : 60 + route * 40];
  }),
};

const overview: Overview = {
  from: FROM,
  to: TO,
  tiles: {
    requests: { value: 61_204, previous: 58_011 },
    rps: { value: 17, previous: 16.1 },
    error_rate: { value: 0.0312, previous: 0.0042 },
    p50_ms: { value: 42.1, previous: 41.8 },
    p95_ms: { value: 412, previous: 260 },
    p99_ms: { value: 1240, previous: 810 },
  },
  routes: ROUTES.map(([service, method, route], i) => ({
    service,
    method,
    route,
    count: 24_000 - i * 3_700,
    errors: i % 2 ? 0 : 410 - i * 30,
    error_rate: i % 2 ? 0 : 0.02,
    p50_ms: 20 + i * 11,
    p95_ms: 120 + i * 140,
    p99_ms: 420 + i * 300,
  })),
};

const journey: Journey = {
  key: 'user_id',
  value: 'u_1137',
  stats: { rows_read: 8192, bytes_read: 1e6, elapsed_ms: 8.2 },
  rows: Array.from({ length: 40 }, (_, i) => ({
    id: i.toString(16).padStart(32, '0'),
    type: i % 5 === 4 ? ('event' as const) : ('request' as const),
    ts: new Date(NOW - 40_000 + i * 900).toISOString(),
    service: 'api',
    name: i % 5 === 4 ? 'order.paid' : 'GET /projects',
    ...(i % 5 === 4 ? {} : { status: i === 7 ? 500 : 200, duration_ms: 12.5 + i }),
  })),
};

const TOTAL = 1000;

/** What the API answers at `url`: its status and body. */
export function answer(url: URL): [status: number, body: unknown] {
  const [, , , , , what = '', id] = url.pathname.split('/');
  const q = url.searchParams;
  if (q.get('filter')?.endsWith('=')) {
    const position = new TextEncoder().encode(q.get('filter') ?? '').length;
    return [400, { title: 'Bad Request', position, expected: 'a value' }];
  }
  switch (what) {
    case 'requests': {
      if (id) return [200, request(parseInt(id, 16) - 1)];
      const start = Number(q.get('cursor') ?? 0);
      const end = Math.min(TOTAL, start + Number(q.get('limit') ?? 100));
      const page: Page = {
        rows: Array.from({ length: end - start }, (_, i) => request(start + i)),
        stats: { rows_read: 8192, bytes_read: 1e6, elapsed_ms: 8.2 },
        ...(end < TOTAL ? { next_cursor: String(end) } : {}),
      };
      return [200, page];
    }
    case 'traces':
      return [200, trace];
    case 'overview':
      return [200, overview];
    case 'histogram':
      return [200, histogram];
    case 'heatmap':
      return [200, q.get('by') === 'route' ? routes : latency];
    case 'events':
      return [200, { ...request(parseInt(id ?? '', 16) - 1), type: 'event', message: 'paid' }];
    case 'journeys':
      return [200, journey];
  }
  return [404, { title: 'Not Found' }];
}

/** An EventSource whose events the test sends. */
export class FixtureSource extends EventTarget {
  static readonly CLOSED = 2;
  static last: FixtureSource | undefined;
  readyState = 0;
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    FixtureSource.last = this;
  }

  open() {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
    this.send('status', { connected: 1, endpoints: 1 });
  }

  send(type: string, data: unknown) {
    this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data) }));
  }

  close() {
    this.readyState = FixtureSource.CLOSED;
  }
}
