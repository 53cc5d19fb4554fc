// The browser, and pages that notice what went wrong on them.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** How long a page may take to show something, on a busy machine. */
export const PATIENCE_MS = 45_000;

export async function startBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: FLAGS,
  });
}

/**
 * A page in a context of its own. `faults` gathers what no page may have: errors
 * on the console (a violated content security policy is one), exceptions,
 * requests that failed and requests to other origins.
 */
export async function openPage(
  browser,
  base,
  { theme = 'light', width = 1280, height = 800 } = {},
) {
  const context = await browser.newContext({
    baseURL: base,
    colorScheme: theme,
    viewport: { width, height },
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const faults = [];
  page.on('console', (m) => {
    if (m.type() === 'error' || m.type() === 'warning')
      faults.push(`console: ${m.text()} ${m.location().url}`);
  });
  page.on('pageerror', (e) => faults.push(`exception: ${e.stack}`));
  page.on('request', (r) => {
    if (!r.url().startsWith(base) && !r.url().startsWith('blob:'))
      faults.push(`origin: ${r.url()}`);
  });
  page.on('requestfailed', (r) => {
    // A superseded request is cancelled on purpose, a tail with its page.
    if (r.failure()?.errorText !== 'net::ERR_ABORTED') {
      faults.push(`request: ${r.url()} ${r.failure()?.errorText}`);
    }
  });
  return { page, faults, close: () => context.close() };
}

/** Opens a page, takes some steps on it and requires that nothing went wrong meanwhile. */
export async function visit(browser, base, look, steps) {
  const { page, faults, close } = await openPage(browser, base, look);
  try {
    await steps(page);
    assert.deepEqual(faults, []);
  } finally {
    await close();
  }
}

/** Requires that axe finds nothing wrong. */
export async function assertAccessible(page, where) {
  // Evaluated rather than added as a script, which the page's policy refuses.
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document);
    return violations.map(
      (v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(' | ')}`,
    );
  });
  assert.deepEqual(violations, [], `axe on ${where}`);
}

/** Requires that nothing is cut off at the right or makes the page scroll sideways. */
export async function assertFits(page, where) {
  const excess = await page.evaluate(() => {
    const wide = [document.documentElement, document.querySelector('main')];
    return Math.max(...wide.map((e) => e.scrollWidth - e.clientWidth));
  });
  assert.equal(excess, 0, `${where} is wider than the screen by ${excess} px`);
}
