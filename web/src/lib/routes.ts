// Which page a path means, and the paths of pages. The project stands in every
// path, so that a link says whose data it shows.

import { search, type Params } from './api';

export type Match =
  | { page: 'overview' | 'requests' | 'journeys' | 'live'; project: string }
  | { page: 'request' | 'trace'; project: string; id: string }
  | { page: 'journey'; project: string; key: string; value: string }
  | { page: 'missing'; project: string };

export const DEFAULT_PROJECT = 'default';

export function match(path: string): Match {
  const parts = path
    .split('/')
    .filter((p) => p !== '')
    .map(decode);
  const [p, project = DEFAULT_PROJECT, page = '', a, b] = parts;
  if (p === undefined) return { page: 'overview', project: DEFAULT_PROJECT };
  if (p !== 'p' || parts.length > 5) return { page: 'missing', project: DEFAULT_PROJECT };
  if (a === undefined) {
    if (page === '') return { page: 'overview', project };
    if (page === 'requests' || page === 'journeys' || page === 'live') return { page, project };
  } else if (b === undefined) {
    if (page === 'requests') return { page: 'request', project, id: a };
    if (page === 'traces') return { page: 'trace', project, id: a };
  } else if (page === 'journeys') {
    return { page: 'journey', project, key: a, value: b };
  }
  return { page: 'missing', project };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function links(project: string) {
  const path = (...parts: string[]) => ['/p', project, ...parts].map(part).join('/');
  return {
    overview: (q: Params = {}) => path() + search(q),
    requests: (q: Params = {}) => path('requests') + search(q),
    request: (id: string, q: Params = {}) => path('requests', id) + search(q),
    trace: (id: string, q: Params = {}) => path('traces', id) + search(q),
    journeys: (q: Params = {}) => path('journeys') + search(q),
    journey: (key: string, value: string, q: Params = {}) =>
      path('journeys', key, value) + search(q),
    live: (q: Params = {}) => path('live') + search(q),
  };
}

function part(s: string): string {
  return s === '/p' ? s : encodeURIComponent(s);
}
