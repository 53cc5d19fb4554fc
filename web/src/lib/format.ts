// Numbers for people. Each has its exact form beside it, for the hover.

const compactNumber = new Intl.NumberFormat('en', {
  notation: 'compact',
  maximumFractionDigits: 1,
});
const plainNumber = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** 1234567 → 1.2M; below ten thousand in full. */
export function count(n: number): string {
  return Math.abs(n) < 10_000 ? plainNumber.format(n) : compactNumber.format(n);
}

export function exact(n: number): string {
  return plainNumber.format(n);
}

/** 1 span, 3 spans, 1,204 spans */
export function plural(n: number, one: string): string {
  return `${exact(n)} ${one}${n === 1 ? '' : 's'}`;
}

function significant(n: number): string {
  if (n >= 100) return n.toFixed(0);
  return n >= 10 ? trim(n.toFixed(1)) : trim(n.toFixed(2));
}

function trim(s: string): string {
  return s.replace(/\.?0+$/, '');
}

/** Milliseconds as 340 µs, 12.1 ms, 1.24 s, 2 m 3 s. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  if (ms === 0) return '0 ms';
  if (ms < 0.001) return `${Math.round(ms * 1e6)} ns`;
  if (ms < 0.9995) return `${significant(ms * 1e3)} µs`;
  if (ms < 999.5) return `${significant(ms)} ms`;
  if (ms < 59_950) return `${significant(ms / 1e3)} s`;
  const s = Math.round(ms / 1e3);
  if (s < 3600) return `${Math.floor(s / 60)} m ${s % 60} s`;
  const m = Math.round(s / 60);
  return m < 48 * 60 ? `${Math.floor(m / 60)} h ${m % 60} m` : `${Math.floor(m / 1440)} d`;
}

export function exactDuration(ms: number): string {
  return `${new Intl.NumberFormat('en', { maximumFractionDigits: 6 }).format(ms)} ms`;
}

/** 92 B, 1.5 kB, 3.2 MB */
export function bytes(n: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let i = 0;
  while (n >= 999.5 && i < units.length - 1) {
    n /= 1000;
    i++;
  }
  return `${i === 0 ? n : significant(n)} ${units[i]}`;
}

/** A share from 0 to 1 as 0.42 %. Small shares keep two significant digits. */
export function percent(share: number): string {
  const p = share * 100;
  if (p === 0) return '0 %';
  if (p < 0.01) return '< 0.01 %';
  return `${p < 1 ? trim(p.toFixed(2)) : significant(p)} %`;
}

/** How a value moved from the period before: +12 %, −3 %, ×14; null when there is nothing to compare. */
export function change(value: number | null, previous: number | null): string | null {
  if (value === null || !previous) return null;
  const ratio = value / previous;
  if (ratio >= 10) return `×${significant(ratio)}`;
  const p = Math.round((ratio - 1) * 100);
  if (p === 0) return '±0 %';
  return p > 0 ? `+${p} %` : `−${-p} %`;
}

export type Tone = 'ok' | 'info' | 'warn' | 'bad' | 'none';

/** The tone of an HTTP status or of a span's status. */
export function statusTone(status: string | number | undefined): Tone {
  if (status === 'error') return 'bad';
  if (status === 'ok') return 'ok';
  const n = Number(status);
  if (!n) return 'none';
  if (n >= 500) return 'bad';
  if (n >= 400) return 'warn';
  return n >= 300 ? 'info' : 'ok';
}

/** The short name of an OpenTelemetry severity number. */
export function severity(n: number | undefined): string {
  if (!n) return '';
  return ['trace', 'debug', 'info', 'warn', 'error', 'fatal'][Math.min(5, (n - 1) >> 2)] ?? '';
}

export function severityTone(n: number | undefined): Tone {
  if (!n || n < 9) return 'none';
  if (n < 13) return 'info';
  return n < 17 ? 'warn' : 'bad';
}
