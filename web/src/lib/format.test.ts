import { expect, it } from 'vitest';
import { bytes, change, count, duration, percent, plural, severity, statusTone } from './format';

it.each([
  [0, '0 ms'],
  [0.0004, '400 ns'],
  [0.34, '340 µs'],
  [0.9999, '1 ms'],
  [12.14, '12.1 ms'],
  [812.4, '812 ms'],
  [999.7, '1 s'],
  [1240, '1.24 s'],
  [59_990, '1 m 0 s'],
  [123_000, '2 m 3 s'],
  [7_260_000, '2 h 1 m'],
])('%f ms reads %s', (ms, want) => expect(duration(ms)).toBe(want));

it.each([
  [92, '92 B'],
  [1500, '1.5 kB'],
  [3_200_000, '3.2 MB'],
])('%d bytes read %s', (n, want) => expect(bytes(n)).toBe(want));

it.each([
  [0, '0 %'],
  [0.00001, '< 0.01 %'],
  [0.0042, '0.42 %'],
  [0.123, '12.3 %'],
  [1, '100 %'],
])('the share %f reads %s', (share, want) => expect(percent(share)).toBe(want));

it.each([
  [112, 100, '+12 %'],
  [97, 100, '−3 %'],
  [1400, 100, '×14'],
  [5, 0, null],
  [null, 5, null],
])('%j after %j', (value, previous, want) => expect(change(value, previous)).toBe(want));

it('counts things', () => {
  expect([0, 1, 1204].map((n) => plural(n, 'span'))).toEqual(['0 spans', '1 span', '1,204 spans']);
});

it('counts in full below ten thousand', () => {
  expect(count(9876)).toBe('9,876');
  expect(count(1_234_567)).toBe('1.2M');
});

it('knows the tone of HTTP and span statuses', () => {
  expect([200, 301, 404, 503, 'error', 'ok', undefined].map(statusTone)).toEqual([
    'ok',
    'info',
    'warn',
    'bad',
    'bad',
    'ok',
    'none',
  ]);
});

it('names severities', () =>
  expect([1, 9, 13, 17, 21, 24, 0].map(severity)).toEqual([
    'trace',
    'info',
    'warn',
    'error',
    'fatal',
    'fatal',
    '',
  ]));
