// Rows of the live tail as the page holds them: a ring that fills as rows come,
// and a view of it that moves once a frame, or not at all while paused.

import type { ApiError } from './api';
import { Ring } from './ring';
import { openTail, type TailState } from './tail';
import type { Row, TailStatus } from './types';

export type StreamItem =
  { seq: number; row: Row; missed?: undefined } | { seq: number; row?: undefined; missed: number };

const RATE_WINDOW_MS = 5000;

export class Stream {
  state = $state<TailState>('connecting');
  error = $state.raw<ApiError>();
  /** newest first */
  view = $state.raw<StreamItem[]>([]);
  collectors = $state.raw<TailStatus>();
  /** Records reach this page from now on: the server answered, and a collector answered it. */
  readonly live = $derived(this.state === 'open' && (this.collectors?.connected ?? 0) > 0);
  paused = $state(false);
  /** rows that came since the view was paused */
  waiting = $state(0);
  missed = $state(0);
  /** rows a second, over the last seconds */
  rate = $state(0);

  #ring: Ring<StreamItem>;
  #seq = 0;
  #rows = 0;
  #rowsAtPause = 0;
  #frame = 0;
  #ticks: { at: number; rows: number }[] = [];

  constructor(capacity: number) {
    this.#ring = new Ring(capacity);
  }

  /** Follows the tail at `url`; the function it returns stops it. */
  follow(url: string): () => void {
    this.clear();
    this.error = undefined;
    this.#ticks = [];
    const close = openTail(url, {
      record: (row) => {
        this.#rows++;
        this.#ring.push({ seq: ++this.#seq, row });
        this.#schedule();
      },
      missed: (n) => {
        this.missed += n;
        this.#ring.push({ seq: ++this.#seq, missed: n });
        this.#schedule();
      },
      collectors: (status) => {
        this.collectors = status;
      },
      state: (state, error) => {
        if (state !== 'open') this.collectors = undefined;
        this.state = state;
        this.error = error;
      },
    });
    const timer = setInterval(() => this.#measure(), 1000);
    return () => {
      close();
      clearInterval(timer);
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
    };
  }

  pause() {
    if (this.paused) return;
    this.paused = true;
    this.#rowsAtPause = this.#rows;
    this.waiting = 0;
  }

  resume() {
    this.paused = false;
    this.waiting = 0;
    this.#flush();
  }

  clear() {
    this.#ring.clear();
    this.view = [];
    this.missed = 0;
    this.#rowsAtPause = this.#rows;
    this.waiting = 0;
  }

  #schedule() {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#flush();
    });
  }

  #flush() {
    if (this.paused) this.waiting = this.#rows - this.#rowsAtPause;
    else this.view = this.#ring.newestFirst();
  }

  #measure() {
    const now = performance.now();
    this.#ticks.push({ at: now, rows: this.#rows });
    while (this.#ticks.length > 2 && now - (this.#ticks[0]?.at ?? now) > RATE_WINDOW_MS) {
      this.#ticks.shift();
    }
    const first = this.#ticks[0];
    if (first && now > first.at) this.rate = ((this.#rows - first.rows) / (now - first.at)) * 1000;
  }
}
