// The answers of histogram and heatmap, as the charts draw them.

import { columnCounts, quantile } from './quantile';
import type { Histogram, LatencyHeatmap, RouteHeatmap } from './types';

const CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;
const CLASS_COLOR: Record<string, string> = {
  '2xx': 'chart-ok',
  '3xx': 'chart-info',
  '4xx': 'chart-warn',
  '5xx': 'chart-bad',
};

export interface Series {
  label: string;
  /** name of a colour token */
  color: string;
  values: (number | null)[];
}

/** Seconds since the epoch of each step's start. */
export function steps(from: string, stepS: number, n: number): number[] {
  const start = Date.parse(from) / 1000;
  return Array.from({ length: n }, (_, i) => start + i * stepS);
}

/** Indices of the values that have no neighbour, so that no line would show them. */
export function isolated(values: ArrayLike<number | null | undefined>): number[] {
  const found: number[] = [];
  const there = (i: number) => (values[i] ?? null) !== null;
  for (let i = 0; i < values.length; i++) {
    if (there(i) && !there(i - 1) && !there(i + 1)) found.push(i);
  }
  return found;
}

export interface StatusSeries {
  times: number[];
  step: number;
  /** counts a step by status class; classes that never occur are left out */
  byClass: Series[];
  /** share of 5xx among all, from 0 to 1; null where nothing came */
  errorRate: (number | null)[];
  total: number;
}

export function statusSeries(h: Histogram): StatusSeries {
  const n = Math.max(0, ...h.series.map((s) => s.counts.length));
  const all = new Array<number>(n).fill(0);
  const failed = new Array<number>(n).fill(0);
  for (const s of h.series) {
    s.counts.forEach((c, i) => {
      all[i] = (all[i] ?? 0) + c;
      if (s.key === '5xx') failed[i] = (failed[i] ?? 0) + c;
    });
  }
  const known = CLASSES.map((key) => h.series.find((s) => s.key === key)).filter((s) => !!s);
  const rest = h.series.filter((s) => !CLASSES.includes(s.key as (typeof CLASSES)[number]));
  const other = { key: '', counts: all.map((_, i) => sum(rest.map((s) => s.counts[i] ?? 0))) };
  return {
    times: steps(h.from, h.step_s, n),
    step: h.step_s,
    byClass: [...known, other]
      .filter((s) => s.counts.some((c) => c > 0))
      .map((s) => ({
        label: s.key || 'other',
        color: CLASS_COLOR[s.key] ?? 'line-strong',
        values: s.counts,
      })),
    errorRate: all.map((c, i) => (c > 0 ? (failed[i] ?? 0) / c : null)),
    total: sum(all),
  };
}

function sum(counts: number[]): number {
  return counts.reduce((a, b) => a + b, 0);
}

/** What each row of the route heatmap is called; the service tells equal routes apart. */
export function routeLabels(routes: RouteHeatmap['routes']): string[] {
  const plain = routes.map((r) => `${r.method} ${r.route || '(no route)'}`.trim());
  return plain.map((label, i) =>
    plain.indexOf(label) === plain.lastIndexOf(label) ? label : `${label} · ${routes[i]?.service}`,
  );
}

/** Latency quantiles in ms over time, read off the heatmap's buckets. */
export function latencySeries(h: LatencyHeatmap): { times: number[]; series: Series[] } {
  const columns = columnCounts(h.cells, h.columns, h.buckets.length);
  const line = (label: string, q: number, color: string) => ({
    label,
    color,
    values: columns.map((counts) => quantile(q, counts, h.buckets)),
  });
  return {
    times: steps(h.from, h.step_s, h.columns),
    series: [
      line('p50', 0.5, 'chart-b'),
      line('p95', 0.95, 'chart-a'),
      line('p99', 0.99, 'chart-c'),
    ],
  };
}

export interface Cell {
  column: number;
  row: number;
  /** 0 to 1 on the colour ramp */
  heat: number;
  count: number;
  errors: number;
  p95: number;
}

export function latencyCells(h: LatencyHeatmap): Cell[] {
  let max = 1;
  for (const [, , n = 0] of h.cells) max = Math.max(max, n);
  const log = Math.log1p(max);
  return h.cells.map(([column = 0, row = 0, count = 0]) => ({
    column,
    row,
    heat: Math.log1p(count) / log,
    count,
    errors: 0,
    p95: 0,
  }));
}

/** From this share of failed requests on a cell has the hottest colour. */
const HOTTEST_ERROR_RATE = 0.5;

/**
 * Cells of the route heatmap, heated by failures (a square root, so that one in
 * a hundred shows) or by p95 on a logarithmic scale between the extremes.
 */
export function routeCells(h: RouteHeatmap, by: 'errors' | 'p95'): Cell[] {
  let lo = Infinity;
  let hi = 0;
  for (const [, , , , p95 = 0] of h.cells) {
    if (p95 > 0) lo = Math.min(lo, p95);
    hi = Math.max(hi, p95);
  }
  const spread = Math.log(hi / lo) || 1;
  return h.cells.map(([column = 0, row = 0, count = 0, errors = 0, p95 = 0]) => ({
    column,
    row,
    heat:
      by === 'errors'
        ? Math.sqrt(errors / Math.max(1, count) / HOTTEST_ERROR_RATE)
        : p95 > 0
          ? Math.log(p95 / lo) / spread
          : 0,
    count,
    errors,
    p95,
  }));
}
