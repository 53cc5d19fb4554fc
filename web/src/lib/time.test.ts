import { describe, expect, it } from 'vitest';
import { fromInput, isRelative, nanos, rangeLabel, resolve, stepName, toInput } from './time';

const now = Date.parse('2026-11-30T12:00:00Z');

describe('resolve', () => {
  it.each([
    ['now', now],
    ['-15m', now - 15 * 60e3],
    ['-7d', now - 7 * 86_400e3],
    ['1764504000000', 1764504000000],
    ['2026-11-30T11:00:00Z', now - 3600e3],
  ])('%s', (time, want) => expect(resolve(time, now)).toBe(want));
  it('refuses what is no time', () => expect(resolve('yesterday', now)).toBeNaN());
});

describe('a range', () => {
  it('keeps relative words relative', () => {
    expect(isRelative({ from: '-1h', to: 'now' })).toBe(true);
    expect(isRelative({ from: '2026-11-30T11:00:00Z', to: 'now' })).toBe(false);
  });
  it.each([
    [{ from: '-1h', to: 'now' }, 'Last hour'],
    [{ from: '-2h', to: 'now' }, 'Last 2h'],
    [{ from: '2026-11-30T11:00:00Z', to: '2026-11-30T12:30:00Z' }, '30 Nov, 11:00 – 30 Nov, 12:30'],
  ])('%j reads %s', (range, want) => expect(rangeLabel(range, 'utc')).toBe(want));
});

it.each(['utc', 'local'] as const)('inputs give back the instant in zone %s', (zone) => {
  expect(fromInput(toInput(now, zone), zone)).toBe('2026-11-30T12:00:00.000Z');
});

it.each([
  [1, 'second'],
  [15, '15 seconds'],
  [60, 'minute'],
  [900, '15 minutes'],
  [5400, '90 minutes'],
  [86_400, 'day'],
])('a step of %d s is a %s', (s, want) => expect(stepName(s)).toBe(want));

it('keeps nanoseconds', () => {
  const a = nanos('2026-11-30T12:00:00.123456789Z');
  const b = nanos('2026-11-30T12:00:00.1Z');
  expect(a - b).toBe(23_456_789n);
});
