// The shapes of the API's answers, as the pages use them.

export type Labels = Record<string, string>;

/** One request, span or event: a row of a listing and the whole of a detail. */
export interface Row {
  id: string;
  type: 'request' | 'span' | 'event';
  /** RFC 3339 with nanoseconds, UTC */
  ts: string;
  project: string;
  service: string;
  env?: string;
  release?: string;
  instance?: string;
  name?: string;
  kind?: string;
  method?: string;
  route?: string;
  path?: string;
  status?: number;
  span_status?: string;
  /** nanoseconds */
  duration?: number;
  duration_ms?: number;
  trace_id?: string;
  span_id?: string;
  parent_span_id?: string;
  trace_state?: string;
  flags?: number;
  request_id?: string;
  user_agent?: string;
  client_ip?: string;
  request_bytes?: number;
  response_bytes?: number;
  severity?: number;
  message?: string;
  error_type?: string;
  error_message?: string;
  error_stack?: string;
  error_group?: string;
  attributes?: Labels;
  resource?: Labels;
  correlation?: Labels;
  request_headers?: Labels;
  response_headers?: Labels;
  request_body?: string;
  response_body?: string;
  scope_name?: string;
  scope_version?: string;
  links?: unknown;
  marks?: string[];
  weight?: number;
}

export interface Page {
  rows: Row[];
  next_cursor?: string;
  stats: { rows_read: number; bytes_read: number; elapsed_ms: number };
}

export interface Trace {
  trace_id: string;
  records: Row[];
  truncated: boolean;
}

export interface Histogram {
  from: string;
  to: string;
  step_s: number;
  source: string;
  series: { key: string; counts: number[] }[];
}

export interface Tile {
  value: number;
  previous: number;
}

export interface RouteStats {
  service: string;
  method: string;
  route: string;
  count: number;
  errors: number;
  error_rate: number;
  p50_ms: number;
  p95_ms: number;
  p99_ms: number;
}

export interface Overview {
  from: string;
  to: string;
  tiles: Record<'requests' | 'rps' | 'error_rate' | 'p50_ms' | 'p95_ms' | 'p99_ms', Tile>;
  routes: RouteStats[];
}

export interface LatencyHeatmap {
  from: string;
  step_s: number;
  columns: number;
  buckets: { lo_ms: number; hi_ms: number }[];
  /** [column, bucket, count] */
  cells: number[][];
}

export interface RouteHeatmap {
  from: string;
  step_s: number;
  columns: number;
  routes: { service: string; method: string; route: string }[];
  /** [column, index of the route, count, errors, p95 in ms] */
  cells: number[][];
}

export interface JourneyRow {
  id: string;
  type: 'request' | 'span' | 'event';
  ts: string;
  service: string;
  name: string;
  status?: string | number;
  duration_ms?: number;
  trace_id?: string;
}

export interface Journey {
  key: string;
  value: string;
  rows: JourneyRow[];
  next_cursor?: string;
}
