// Reads that follow the page's state: a new one cancels the one before it, the
// old answer stays on the page until the new one is there.

import { ApiError, isAbort } from './api';

/** A read that is over sooner than this shows no skeleton. */
const SKELETON_AFTER_MS = 150;

export class Query<T> {
  data = $state.raw<T>();
  error = $state.raw<ApiError>();
  loading = $state(false);
  /** Loading for so long that the reader should be told. */
  slow = $state(false);
  #again = $state(0);

  /**
   * `load` runs now and whenever the state it reads before its first await
   * changes. It may return null for "nothing to ask". Call it while a component
   * is being set up.
   */
  constructor(load: (signal: AbortSignal) => Promise<T> | null) {
    $effect(() => {
      void this.#again;
      const abort = new AbortController();
      const asked = load(abort.signal);
      if (asked === null) {
        this.data = undefined;
        this.error = undefined;
        this.loading = false;
        return;
      }
      this.loading = true;
      const timer = setTimeout(() => (this.slow = true), SKELETON_AFTER_MS);
      const done = () => {
        clearTimeout(timer);
        this.loading = false;
        this.slow = false;
      };
      asked.then(
        (data) => {
          if (abort.signal.aborted) return;
          this.data = data;
          this.error = undefined;
          done();
        },
        (e: unknown) => {
          if (abort.signal.aborted || isAbort(e)) return;
          this.error = e instanceof ApiError ? e : new ApiError(0, String(e));
          done();
        },
      );
      return () => {
        clearTimeout(timer);
        abort.abort();
      };
    });
  }

  retry = () => {
    this.#again++;
  };
}
