import { expect, it } from 'vitest';
import { isolated, latencySeries, routeCells, routeLabels, statusSeries } from './series';

const from = '2026-11-30T12:00:00Z';

it('orders status classes, drops empty ones and finds the error rate', () => {
  const s = statusSeries({
    from,
    to: from,
    step_s: 60,
    source: 'cnt_m',
    series: [
      { key: '5xx', counts: [1, 0, 0] },
      { key: '2xx', counts: [3, 4, 0] },
      { key: '3xx', counts: [0, 0, 0] },
    ],
  });
  expect(s.byClass.map((c) => c.label)).toEqual(['2xx', '5xx']);
  expect(s.errorRate).toEqual([0.25, 0, null]);
  expect(s.times.map((t) => t - (s.times[0] ?? 0))).toEqual([0, 60, 120]);
  expect(s.total).toBe(8);
});

it('has nothing to draw for an empty histogram', () => {
  const s = statusSeries({ from, to: from, step_s: 60, source: 'cnt_m', series: [] });
  expect(s).toMatchObject({ times: [], byClass: [], errorRate: [], total: 0 });
});

it('finds values that stand alone', () => {
  expect(isolated([1, null, 2, 3, null, 4])).toEqual([0, 5]);
  expect(isolated([])).toEqual([]);
});

it('reads quantiles off the heatmap', () => {
  const l = latencySeries({
    from,
    step_s: 60,
    columns: 2,
    buckets: [
      { lo_ms: 0, hi_ms: 10 },
      { lo_ms: 10, hi_ms: 20 },
    ],
    cells: [[0, 0, 10]],
  });
  expect(l.series.map((s) => [s.label, s.values[0], s.values[1]])).toEqual([
    ['p50', 5, null],
    ['p95', 9.5, null],
    ['p99', 9.9, null],
  ]);
});

it('heats routes by failures and by latency', () => {
  const h = {
    from,
    step_s: 60,
    columns: 1,
    routes: [],
    cells: [
      [0, 0, 100, 50, 10],
      [0, 1, 100, 0, 1000],
      [0, 2, 100, 0, 100],
    ],
  };
  expect(routeCells(h, 'errors').map((c) => c.heat)).toEqual([1, 0, 0]);
  expect(routeCells(h, 'p95').map((c) => Math.round(c.heat * 100))).toEqual([0, 100, 50]);
});

it('names every route, and services where routes are alike', () => {
  const route = (service: string, method: string, route: string) => ({ service, method, route });
  expect(
    routeLabels([
      route('api', 'GET', '/l'),
      route('web', 'GET', '/l'),
      route('api', 'PUT', '/l'),
      route('job', '', ''),
    ]),
  ).toEqual(['GET /l · api', 'GET /l · web', 'PUT /l', '(no route)']);
});

it('puts statuses outside the classes together', () => {
  const s = statusSeries({
    from,
    to: from,
    step_s: 60,
    source: 'cnt_m',
    series: [
      { key: 'none', counts: [1, 0] },
      { key: '6xx', counts: [1, 2] },
      { key: '2xx', counts: [3, 4] },
    ],
  } as Parameters<typeof statusSeries>[0]);
  expect(s.byClass.map((c) => [c.label, ...c.values])).toEqual([
    ['2xx', 3, 4],
    ['other', 2, 2],
  ]);
});
