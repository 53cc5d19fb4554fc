// One chunk a page. The page is loaded when its path is first opened.

import type { Component } from 'svelte';
import type { Match } from '../lib/routes';

type Load = () => Promise<{ default: Component }>;

export const pages: Record<Match['page'], { title: string; load: Load }> = {
  overview: { title: 'Overview', load: () => import('../pages/Overview.svelte') },
  requests: { title: 'Requests', load: () => import('../pages/Requests.svelte') },
  request: { title: 'Request', load: () => import('../pages/Request.svelte') },
  trace: { title: 'Trace', load: () => import('../pages/Trace.svelte') },
  journeys: { title: 'Journeys', load: () => import('../pages/Journeys.svelte') },
  journey: { title: 'Journey', load: () => import('../pages/Journey.svelte') },
  live: { title: 'Live', load: () => import('../pages/Live.svelte') },
  missing: { title: 'Not found', load: () => import('../pages/Missing.svelte') },
};

export async function loadPage(page: Match['page']): Promise<Component> {
  return (await pages[page].load()).default;
}
