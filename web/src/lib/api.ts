// The API client: one function per endpoint, nothing of the page in it.

import type {
  Heatmap,
  Histogram,
  Journey,
  LatencyHeatmap,
  Overview,
  Page,
  Problem,
  RouteHeatmap,
  Row,
  Trace,
} from './types';

type Param = string | number | undefined;
export type Params = Record<string, Param>;

/** An answer that is not the one asked for. `status` is 0 when there was none at all. */
export class ApiError extends Error {
  readonly status: number;
  /** Where the filter is wrong, in bytes of its UTF-8 form. */
  readonly position: number | undefined;

  constructor(status: number, message: string, position?: number) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.position = position;
  }

  /** What the reader of the message can do about it. */
  get advice(): string {
    if (this.position !== undefined) return 'Correct the filter where the mark stands.';
    if (this.status === 0) return 'Is the query server running? Start it, then try again.';
    if (this.status === 404) return 'It may be older than the retention, or the link may be cut.';
    if (this.status === 429) return 'The store is busy. Wait a moment, then try again.';
    if (this.status >= 500)
      return 'The store may be starting. Try again; the server’s log has the cause.';
    return 'Change the request, then try again.';
  }
}

export function isAbort(e: unknown): boolean {
  return e instanceof DOMException && e.name === 'AbortError';
}

/** The query string of the parameters that have a value, with its `?`; empty when none has. */
export function search(params: Params): string {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(params)) {
    if (v !== undefined && v !== '') q.set(k, String(v));
  }
  const s = q.toString();
  return s ? `?${s}` : '';
}

export function apiUrl(project: string, path: string, params: Params = {}): string {
  return `/api/v1/projects/${encodeURIComponent(project)}/${path}${search(params)}`;
}

async function get<T>(url: string, signal?: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, {
      headers: { Accept: 'application/json' },
      ...(signal ? { signal } : {}),
    });
  } catch (e) {
    if (isAbort(e)) throw e;
    throw new ApiError(0, 'The server did not answer.');
  }
  if (!response.ok) throw await toError(response);
  return (await response.json()) as T;
}

/** The error that a response which is not ok stands for. */
export async function toError(response: Response): Promise<ApiError> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  const message =
    problem.position !== undefined && problem.expected
      ? `Here ${problem.expected} is expected.`
      : (problem.errors?.[0]?.message ??
        problem.detail ??
        problem.title ??
        `The server answered ${response.status}.`);
  return new ApiError(response.status, message, problem.position);
}

export type RangeParams = { from: string; to: string };

export function api(project: string) {
  const url = (path: string, params?: Params) => apiUrl(project, path, params);
  return {
    requests: (
      p: RangeParams & { filter: string; limit?: number; cursor?: string },
      signal?: AbortSignal,
    ) => get<Page>(url('requests', p), signal),
    /** Any record by its id. */
    record: (type: Row['type'], id: string, signal?: AbortSignal) =>
      get<Row>(url(`${type}s/${encodeURIComponent(id)}`), signal),
    trace: (id: string, signal?: AbortSignal) =>
      get<Trace>(url(`traces/${encodeURIComponent(id)}`), signal),
    overview: (p: RangeParams, signal?: AbortSignal) => get<Overview>(url('overview', p), signal),
    histogram: (
      p: RangeParams & { filter?: string; buckets: number; by?: string },
      signal?: AbortSignal,
    ) => get<Histogram>(url('histogram', p), signal),
    latencyHeatmap: async (
      p: RangeParams & { service?: string; route?: string },
      signal?: AbortSignal,
    ): Promise<LatencyHeatmap> => {
      const heatmap = await get<Heatmap>(url('heatmap', p), signal);
      return { ...heatmap, buckets: heatmap.buckets ?? [] };
    },
    routeHeatmap: async (p: RangeParams, signal?: AbortSignal): Promise<RouteHeatmap> => {
      const heatmap = await get<Heatmap>(url('heatmap', { ...p, by: 'route' }), signal);
      return { ...heatmap, routes: heatmap.routes ?? [] };
    },
    journey: (
      key: string,
      value: string,
      p: RangeParams & { limit?: number; cursor?: string },
      signal?: AbortSignal,
    ) =>
      get<Journey>(
        url(`journeys/${encodeURIComponent(key)}/${encodeURIComponent(value)}`, p),
        signal,
      ),
    tailUrl: (filter: string) => url('tail', { filter }),
  };
}

export type Api = ReturnType<typeof api>;
