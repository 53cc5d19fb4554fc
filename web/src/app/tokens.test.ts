import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8');
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map((m) => [
    m[1] ?? '',
    [m[2] ?? '', m[3] ?? ''] as const,
  ]),
);

// WCAG 2.2, relative luminance and contrast ratio.
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((i) => {
    const c = parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const surfaces = ['bg', 'surface', 'sunken', 'hover', 'selected'];
const pairs = [
  ...['text', 'muted', 'accent', 'ok', 'info', 'warn', 'bad'].flatMap((t) =>
    surfaces.map((s) => [t, s]),
  ),
  ...['ok', 'info', 'warn', 'bad'].map((t) => [t, `${t}-soft`]),
  ['on-accent', 'accent'],
] as [string, string][];

describe.each(['light', 'dark'])('%s', (theme) => {
  const color = (name: string) => {
    const both = tokens.get(name);
    if (!both) throw new Error(`tokens.css has no colour --${name}`);
    return both[theme === 'light' ? 0 : 1];
  };
  it.each(pairs)('%s reads on %s', (text, surface) => {
    expect(contrast(color(text), color(surface))).toBeGreaterThanOrEqual(4.5);
  });
});
