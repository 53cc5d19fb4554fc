import { expect, it } from 'vitest';
import { Ring } from './ring';

it('holds the newest values, newest first', () => {
  const ring = new Ring<number>(3);
  expect(ring.newestFirst()).toEqual([]);
  for (let i = 1; i <= 7; i++) ring.push(i);
  expect(ring.newestFirst()).toEqual([7, 6, 5]);
  expect(ring.length).toBe(3);
  expect(ring.written).toBe(7);
});

it('starts over when cleared', () => {
  const ring = new Ring<number>(2);
  ring.push(1);
  ring.clear();
  ring.push(2);
  expect(ring.newestFirst()).toEqual([2]);
});
