// The address is the state: what a page shows follows from it, and it is the
// only thing a page changes to show something else.

import type { Component } from 'svelte';
import { api, search } from './api';
import { and } from './filter';
import { links, match, type Match } from './routes';
import { DEFAULT_RANGE, type Range } from './time';

class Place {
  #path = $state(window.location.pathname);
  #search = $state(window.location.search);
  #refreshed = $state(0);
  #component = $state.raw<Component>();
  #failed = $state(false);

  /** Brings the code of a page. */
  load: (page: Match['page']) => Promise<Component> = () =>
    Promise.reject(new Error('place.load is not set'));

  // From the path alone: a page must survive a change of the query.
  readonly match = $derived(match(this.#path));
  readonly project = $derived(this.match.project);
  readonly api = $derived(api(this.project));
  readonly to = $derived(links(this.project));

  readonly #query = $derived(new URLSearchParams(this.#search));
  readonly filter = $derived(this.#query.get('filter') ?? '');
  readonly from = $derived(this.#query.get('from') ?? DEFAULT_RANGE.from);
  readonly until = $derived(this.#query.get('to') ?? DEFAULT_RANGE.to);
  /** The record opened beside a list. */
  readonly open = $derived(this.#query.get('open') ?? '');

  /** The page to show; nothing until its code is there. */
  get component(): Component | undefined {
    return this.#component;
  }
  /** The code of the page did not come. */
  get failed(): boolean {
    return this.#failed;
  }

  /** The range to ask for; whoever reads it is run again by `refresh`. */
  get range(): Range {
    void this.#refreshed;
    return { from: this.from, to: this.until };
  }

  /** The range as parameters of a link; the default one needs no words. */
  get rangeQuery(): { from?: string; to?: string } {
    return {
      ...(this.from === DEFAULT_RANGE.from ? {} : { from: this.from }),
      ...(this.until === DEFAULT_RANGE.to ? {} : { to: this.until }),
    };
  }

  /** The requests that a clause picks out: of those listed now, or of all in the range. */
  narrowed(clause: string): string {
    const filter = this.match.page === 'requests' ? and(this.filter, clause) : clause;
    return this.to.requests({ filter, ...this.rangeQuery });
  }

  refresh = () => {
    this.#refreshed++;
  };

  go(href: string, { replace = false } = {}) {
    if (href === window.location.pathname + window.location.search) {
      this.refresh();
      return;
    }
    if (replace) history.replaceState(null, '', href);
    else history.pushState(null, '', href);
    void this.read();
  }

  /** Changes some of the query's parameters; an empty value takes one out. */
  set(change: Record<string, string>, options?: { replace?: boolean }) {
    const query = Object.fromEntries(new URLSearchParams(window.location.search));
    const changed = search({ ...query, ...change });
    this.go(window.location.pathname + changed, options);
  }

  /**
   * Takes over the address. One of another page is taken over only when the
   * page's code is there, or the page shown until then would answer to it.
   */
  read = async () => {
    const { pathname, search } = window.location;
    const { page } = match(pathname);
    if (!this.#component || this.#failed || page !== this.match.page) {
      try {
        const component = await this.load(page);
        if (pathname !== window.location.pathname || search !== window.location.search) return;
        this.#component = component;
        this.#failed = false;
      } catch {
        this.#failed = true;
      }
    }
    this.#path = pathname;
    this.#search = search;
  };
}

export const place = new Place();

/** Follows history and takes over clicks on the UI's own links. Returns the way to stop. */
export function followLinks(): () => void {
  const onClick = (e: MouseEvent) => {
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) {
      return;
    }
    const a = (e.target as Element).closest?.('a[href]');
    if (!(a instanceof HTMLAnchorElement)) return;
    if (a.origin !== window.location.origin || a.target || a.hasAttribute('download')) return;
    if (!a.pathname.startsWith('/p/') && a.pathname !== '/') return;
    e.preventDefault();
    place.go(a.pathname + a.search);
  };
  document.addEventListener('click', onClick);
  window.addEventListener('popstate', place.read);
  return () => {
    document.removeEventListener('click', onClick);
    window.removeEventListener('popstate', place.read);
  };
}
