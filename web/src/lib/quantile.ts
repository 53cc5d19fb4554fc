/**
 * The q-quantile of a histogram with bucket bounds in ms, read off linearly
 * inside its bucket; null where nothing was counted.
 */
export function quantile(
  q: number,
  counts: readonly number[],
  buckets: readonly { lo_ms: number; hi_ms: number }[],
): number | null {
  let total = 0;
  for (const c of counts) total += c;
  if (total === 0) return null;
  let left = q * total;
  for (let i = 0; i < counts.length; i++) {
    const c = counts[i] ?? 0;
    const bucket = buckets[i];
    if (c > 0 && bucket && left <= c) {
      return bucket.lo_ms + (bucket.hi_ms - bucket.lo_ms) * (left / c);
    }
    left -= c;
  }
  return buckets[buckets.length - 1]?.hi_ms ?? null;
}

/** Per-column counts from the sparse cells [column, bucket, count] of a heatmap. */
export function columnCounts(
  cells: readonly number[][],
  columns: number,
  buckets: number,
): number[][] {
  const out = Array.from({ length: columns }, () => new Array<number>(buckets).fill(0));
  for (const [column = -1, bucket = -1, n = 0] of cells) {
    const counts = out[column];
    if (counts && bucket >= 0 && bucket < buckets) counts[bucket] = (counts[bucket] ?? 0) + n;
  }
  return out;
}
