import { expect, it } from 'vitest';
import { columnCounts, quantile } from './quantile';

const buckets = [
  { lo_ms: 0, hi_ms: 10 },
  { lo_ms: 10, hi_ms: 20 },
  { lo_ms: 20, hi_ms: 40 },
];

it.each([
  [0.5, [10, 0, 0], 5],
  [0.5, [5, 5, 0], 10],
  [0.95, [0, 0, 100], 39],
  [1, [1, 1, 1], 40],
  [0.5, [0, 0, 0], null],
])('the %f-quantile of %j is %j', (q, counts, want) =>
  expect(quantile(q, counts, buckets)).toBe(want),
);

it('spreads sparse cells over columns', () => {
  expect(
    columnCounts(
      [
        [0, 1, 3],
        [1, 0, 2],
        [0, 1, 1],
        [9, 0, 1],
      ],
      2,
      2,
    ),
  ).toEqual([
    [0, 4],
    [2, 0],
  ]);
});
