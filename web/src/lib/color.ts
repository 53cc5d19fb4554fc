// Colours for canvases, which cannot read custom properties themselves.

export type Rgb = readonly [red: number, green: number, blue: number];

let probe: HTMLElement | undefined;

/** The colour that a token has in the theme in force, as `rgb(…)`. */
export function token(name: string): string {
  if (!probe) {
    probe = document.createElement('span');
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

export function parseRgb(css: string): Rgb {
  const [red = 0, green = 0, blue = 0] = (css.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

/** A scale through the given colours; it takes 0 to 1 and clamps what lies outside. */
export function ramp(stops: readonly Rgb[]): (t: number) => string {
  return (t) => {
    const x = Math.min(1, Math.max(0, t)) * (stops.length - 1);
    const i = Math.min(Math.floor(x), stops.length - 2);
    const a = stops[i] ?? [0, 0, 0];
    const b = stops[i + 1] ?? a;
    const mixed = a.map((v, k) => Math.round(v + ((b[k] ?? v) - v) * (x - i)));
    return `rgb(${mixed.join(', ')})`;
  };
}

/** The scale of the tokens `<name>-0` to `<name>-4`. */
export function tokenRamp(name: string): (t: number) => string {
  return ramp([0, 1, 2, 3, 4].map((i) => parseRgb(token(`${name}-${i}`))));
}
