// What a reader chooses for this browser: theme and time zone. Not in the
// address, since a link must not change how its receiver reads.

import type { Zone } from './time';

export type Theme = 'system' | 'light' | 'dark';

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // storage is refused: the choice lasts as long as the page
  }
}

function store(key: string, value: string) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // as above
  }
}

class Settings {
  #theme = $state<Theme>((stored('trackway.theme') as Theme | null) ?? 'system');
  #zone = $state<Zone>(stored('trackway.zone') === 'utc' ? 'utc' : 'local');
  #systemDark = $state(matchMedia('(prefers-color-scheme: dark)').matches);

  constructor() {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (e) => {
      this.#systemDark = e.matches;
    });
  }

  get theme(): Theme {
    return this.#theme;
  }
  set theme(theme: Theme) {
    this.#theme = theme;
    store('trackway.theme', theme);
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }

  /** The theme in force; canvases are drawn again when it changes. */
  get dark(): boolean {
    return this.#theme === 'system' ? this.#systemDark : this.#theme === 'dark';
  }

  get zone(): Zone {
    return this.#zone;
  }
  set zone(zone: Zone) {
    this.#zone = zone;
    store('trackway.zone', zone);
  }
}

export const settings = new Settings();
