// Opens the UI at a path, against the made-up API.

import axe from 'axe-core';
import { expect, vi } from 'vitest';
import { render } from 'vitest-browser-svelte';
import App from '../src/app/App.svelte';
import { loadPage } from '../src/app/pages';
import '../src/app/base.css';
import '../src/app/tokens.css';
import { followLinks, place } from '../src/lib/place.svelte';
import { answer, FixtureSource } from './fixture';

export interface Asked {
  url: URL;
  signal: AbortSignal | null | undefined;
}

/** Every request the UI made since `open`. */
export const asked: Asked[] = [];

followLinks();

export async function open(path: string, respond: typeof answer = answer) {
  asked.length = 0;
  FixtureSource.last = undefined;
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const url = new URL(input, window.location.origin);
    asked.push({ url, signal: init?.signal });
    const [status, body] = respond(url);
    return new Response(JSON.stringify(body), { status });
  });
  vi.stubGlobal('EventSource', FixtureSource);
  history.replaceState(null, '', path);
  place.load = loadPage;
  await place.read();
  const screen = await render(App);
  screen.container.style.height = '100%';
  return screen;
}

export function press(key: string) {
  const target = document.activeElement ?? document.body;
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}

export async function expectAccessible() {
  const { violations } = await axe.run(document.body, {
    // The page's frame here is the test runner's.
    rules: { 'html-has-lang': { enabled: false }, 'document-title': { enabled: false } },
  });
  expect(
    violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 200)).join(' | ')}`),
  ).toEqual([]);
}
