// A listing that grows: the first page follows the state like any query, the
// pages after it are fetched by cursor as the reader nears the end.

import { ApiError, isAbort } from './api';
import { Query } from './query.svelte';

interface PageOf<T> {
  rows: T[];
  next_cursor?: string;
}

export class Listing<T, P extends PageOf<T>> {
  readonly first: Query<P>;
  moreError = $state.raw<ApiError>();
  #load: (signal: AbortSignal, cursor?: string) => Promise<P> | null;
  #later = $state.raw<{ after: P; rows: T[]; cursor: string | undefined }>();
  #fetching: AbortController | undefined;

  readonly #grown = $derived.by(() => {
    const first = this.first.data;
    return this.#later && this.#later.after === first ? this.#later : undefined;
  });
  readonly rows: T[] = $derived.by(() => {
    const first = this.first.data?.rows ?? [];
    return this.#grown ? [...first, ...this.#grown.rows] : first;
  });
  readonly cursor = $derived.by(() =>
    this.#grown ? this.#grown.cursor : this.first.data?.next_cursor,
  );
  /** All there is has been read. */
  readonly complete = $derived.by(() => this.first.data !== undefined && !this.cursor);

  constructor(load: (signal: AbortSignal, cursor?: string) => Promise<P> | null) {
    this.#load = load;
    this.first = new Query<P>((signal) => load(signal));
    $effect(() => {
      void this.first.data;
      return () => {
        this.#fetching?.abort();
        this.#fetching = undefined;
      };
    });
  }

  /** Fetches the next page unless there is none or it is on its way. */
  more = async () => {
    const after = this.first.data;
    const cursor = this.cursor;
    if (!after || !cursor || this.#fetching || this.first.loading) return;
    const abort = new AbortController();
    this.#fetching = abort;
    try {
      const page = await this.#load(abort.signal, cursor);
      if (abort.signal.aborted || !page) return;
      this.#later = {
        after,
        rows: [...(this.#grown?.rows ?? []), ...page.rows],
        cursor: page.next_cursor,
      };
      this.moreError = undefined;
    } catch (e) {
      if (isAbort(e) || abort.signal.aborted) return;
      this.moreError = e instanceof ApiError ? e : new ApiError(0, String(e));
    } finally {
      if (this.#fetching === abort) this.#fetching = undefined;
    }
  };
}
