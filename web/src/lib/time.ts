// Times and ranges. A range keeps the words it was given in (`-1h`, `now`, an
// instant in RFC 3339), so that a link to "the last hour" stays relative.

export interface Range {
  from: string;
  to: string;
}

export type Zone = 'local' | 'utc';

export const DEFAULT_RANGE: Range = { from: '-1h', to: 'now' };

export const PRESETS: { from: string; label: string }[] = [
  { from: '-5m', label: 'Last 5 minutes' },
  { from: '-15m', label: 'Last 15 minutes' },
  { from: '-1h', label: 'Last hour' },
  { from: '-6h', label: 'Last 6 hours' },
  { from: '-24h', label: 'Last 24 hours' },
  { from: '-7d', label: 'Last 7 days' },
  { from: '-30d', label: 'Last 30 days' },
];

const UNIT_MS: Record<string, number> = { s: 1e3, m: 60e3, h: 3600e3, d: 86_400e3 };

/** Milliseconds since the epoch of a time as the API takes it; NaN when it is none. */
export function resolve(time: string, now: number): number {
  if (time === 'now' || time === '') return now;
  const relative = /^-(\d+)([smhd])$/.exec(time);
  if (relative) return now - Number(relative[1]) * (UNIT_MS[relative[2] ?? ''] ?? NaN);
  if (/^\d{10,}$/.test(time)) return Number(time);
  return Date.parse(time);
}

export function isRelative(range: Range): boolean {
  return range.to === 'now' && range.from.startsWith('-');
}

/** What the time picker's button says. */
export function rangeLabel(range: Range, zone: Zone): string {
  if (isRelative(range)) {
    const preset = PRESETS.find((p) => p.from === range.from);
    return preset ? preset.label : `Last ${range.from.slice(1)}`;
  }
  const now = Date.now();
  return `${instantLabel(range.from, now, zone)} – ${instantLabel(range.to, now, zone)}`;
}

function instantLabel(time: string, now: number, zone: Zone): string {
  if (time === 'now' || time.startsWith('-')) return time;
  const ms = resolve(time, now);
  return Number.isNaN(ms) ? time : shortTime(ms, zone);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: Zone, name: string, options: Intl.DateTimeFormatOptions) {
  const key = zone + name;
  let f = formats.get(key);
  if (!f) {
    f = new Intl.DateTimeFormat('en-GB', {
      ...options,
      hourCycle: 'h23',
      ...(zone === 'utc' ? { timeZone: 'UTC' } : {}),
    });
    formats.set(key, f);
  }
  return f;
}

/** 14:03:22.418 */
export function clock(ms: number, zone: Zone): string {
  return format(zone, 'clock', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  }).format(ms);
}

/** 30 Nov */
export function day(ms: number, zone: Zone): string {
  return format(zone, 'day', { day: '2-digit', month: 'short' }).format(ms);
}

/** 30 Nov, 14:03 */
export function shortTime(ms: number, zone: Zone): string {
  return format(zone, 'short', {
    day: '2-digit',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(ms);
}

/** 30 Nov 2026, 14:03:22.418 CET */
export function fullTime(ms: number, zone: Zone): string {
  return format(zone, 'full', {
    day: '2-digit',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    timeZoneName: 'short',
  }).format(ms);
}

/** A step of so many seconds in words: minute, 5 minutes, hour, 6 hours, day. */
export function stepName(seconds: number): string {
  for (const [unit, name] of [
    [86_400, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
  ] as const) {
    const n = seconds / unit;
    if (n >= 1 && Number.isInteger(n)) return n === 1 ? name : `${n} ${name}s`;
  }
  return seconds === 1 ? 'second' : `${seconds} seconds`;
}

/** UTC, CET, GMT+5:30 … */
export function zoneName(zone: Zone, at = Date.now()): string {
  const parts = format(zone, 'zone', { timeZoneName: 'short' }).formatToParts(at);
  return parts.find((p) => p.type === 'timeZoneName')?.value ?? 'UTC';
}

/** The value of an `<input type="datetime-local">`. */
export function toInput(ms: number, zone: Zone): string {
  const shifted = zone === 'utc' ? ms : ms - new Date(ms).getTimezoneOffset() * 60e3;
  return new Date(shifted).toISOString().slice(0, 19);
}

/** The instant an `<input type="datetime-local">` means, in RFC 3339; empty when it is none. */
export function fromInput(value: string, zone: Zone): string {
  const ms = Date.parse(zone === 'utc' ? `${value}Z` : value);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

/** Nanoseconds since the epoch of an RFC 3339 time; `Date` alone would cut them to milliseconds. */
export function nanos(time: string): bigint {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? '';
  const seconds = Date.parse(time.replace(/\.\d+/, ''));
  return BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9));
}
