import { expect, it } from 'vitest';
import { parseRgb, ramp } from './color';

it.each([
  [-1, 'rgb(0, 0, 0)'],
  [0, 'rgb(0, 0, 0)'],
  [0.25, 'rgb(50, 0, 0)'],
  [0.5, 'rgb(100, 0, 0)'],
  [1, 'rgb(100, 200, 0)'],
  [2, 'rgb(100, 200, 0)'],
])('at %f the ramp is %s', (t, want) => {
  expect(
    ramp([
      [0, 0, 0],
      [100, 0, 0],
      [100, 200, 0],
    ])(t),
  ).toBe(want);
});

it('reads computed colours', () => expect(parseRgb('rgb(1, 22, 255)')).toEqual([1, 22, 255]));
