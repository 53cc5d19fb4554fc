// Every page, both themes, wide and narrow: it shows real data, passes axe, fits
// the screen, and nothing goes wrong while it does.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertAccessible, assertFits, openPage, startBrowser, visit } from './browser.mjs';
import { failingOrder } from './order.mjs';
import { eventually, send, startTrackway } from './trackway.mjs';

const DEMO_RATE = 40; // requests a second

const mark = randomBytes(4).toString('hex');
const order = failingOrder(mark);
const filter = `correlation['order_id'] = '${order.orderId}'`;

let trackway, browser, id;

before(async () => {
  [trackway, browser] = await Promise.all([startTrackway({ demo: DEMO_RATE }), startBrowser()]);
  await send(trackway, order.items);
  const q = new URLSearchParams({ filter });
  const found = await eventually(trackway, `requests?${q}`, (a) => a.rows.length === 1);
  id = found.rows[0].id;
  await eventually(
    trackway,
    `traces/${order.traceId}`,
    (a) => a.records.length >= order.items.length,
  );
  await eventually(trackway, 'overview', (a) => a.tiles.requests.value > 100);
});

after(async () => {
  await browser?.close();
  await trackway?.stop();
});

const looks = ['light', 'dark'].flatMap((theme) => [
  { theme, width: 1280, height: 800 },
  { theme, width: 360, height: 740 },
]);

const pages = {
  overview: {
    path: () => '/',
    shows: (page) => page.getByRole('region', { name: 'Routes' }).getByRole('link').first(),
  },
  requests: { path: () => '/p/default/requests', shows: (page) => page.getByRole('row').nth(3) },
  'request-beside': {
    path: () => `/p/default/requests?${new URLSearchParams({ filter, open: id })}`,
    shows: (page) => page.getByRole('complementary').getByText('reserve stock'),
  },
  request: {
    path: () => `/p/default/requests/${id}`,
    shows: (page) => page.getByText('reserve stock'),
  },
  trace: {
    path: () => `/p/default/traces/${order.traceId}`,
    shows: (page) => page.getByText('reserve stock'),
  },
  journeys: {
    path: () => '/p/default/journeys',
    shows: (page) => page.getByRole('button', { name: 'Follow' }),
  },
  journey: {
    path: () => `/p/default/journeys/order_id/${order.orderId}`,
    shows: (page) => page.getByText('order.failed').first(),
  },
  live: { path: () => '/p/default/live', shows: (page) => page.getByRole('row').nth(3) },
  missing: {
    path: () => '/p/default/nothing',
    shows: (page) => page.getByText('no page at this address'),
  },
};

for (const look of looks) {
  describe(`${look.theme}, ${look.width} px`, () => {
    for (const [name, { path, shows }] of Object.entries(pages)) {
      it(name, async () => {
        await visit(browser, trackway.url, look, async (page) => {
          await page.goto(path());
          await shows(page).waitFor();
          if (process.env.TRACKWAY_SHOTS) {
            await mkdir(process.env.TRACKWAY_SHOTS, { recursive: true });
            const file = `${name}-${look.width}-${look.theme}.png`;
            await page.screenshot({ path: join(process.env.TRACKWAY_SHOTS, file) });
          }
          await assertAccessible(page, name);
          await assertFits(page, name);
        });
      });
    }
  });
}

describe('paths through the pages', () => {
  const walk = (start, steps) =>
    visit(browser, trackway.url, {}, async (page) => {
      await page.goto(start);
      await steps(page);
    });
  const query = (page) => new URL(page.url()).searchParams;

  it('from a filter to the request, its trace and everything about its order', () =>
    walk('/p/default/requests', async (page) => {
      await page.getByRole('table').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type(filter);
      await page.keyboard.press('Enter');
      const row = page.getByRole('row').filter({ hasText: order.error.type });
      await row.waitFor();
      assert.equal(query(page).get('filter'), filter);
      await row.click();

      const beside = page.getByRole('complementary', { name: 'Request' });
      await beside.getByText(order.error.stack.split('\n')[1].trim()).waitFor();
      await beside.getByText('"sku": "bolt-m8"').waitFor();
      await beside.getByText('SELECT stock').waitFor();
      assert.equal(query(page).get('open'), id);

      await page.reload();
      await beside.getByText('SELECT stock').waitFor();

      await beside.getByRole('link', { name: 'Open the trace' }).click();
      const trace = page.getByRole('table', { name: 'Trace' });
      for (const name of ['reserve stock', 'SELECT stock', 'order.failed']) {
        await trace.getByText(name).waitFor();
      }
      await trace.getByText('SELECT stock').click();
      await page.getByRole('complementary').getByText('postgresql').waitFor();

      await page.goBack();
      await beside.getByRole('link', { name: order.orderId, exact: true }).click();
      await page.getByRole('table', { name: 'Journey' }).getByText('order.failed').click();
      await page
        .getByRole('complementary', { name: 'Record' })
        .getByText(`order ${order.orderId} was not paid`)
        .first()
        .waitFor();
      assert.match(new URL(page.url()).pathname, /\/journeys\/order_id\//);
    }));

  it('finds the same request by route, status and trace', () =>
    walk('/p/default/requests', async (page) => {
      for (const clause of [
        `route = '${order.route}'`,
        `status = 503 AND service = '${order.service}'`,
        `trace_id = '${order.traceId}'`,
        `attributes['mark'] = '${mark}'`,
      ]) {
        await page.goto(`/p/default/requests?${new URLSearchParams({ filter: clause })}`);
        await page.getByRole('row').filter({ hasText: order.route }).waitFor();
      }
    }));

  it('walks the list by keys alone', () =>
    walk('/p/default/requests', async (page) => {
      await page.getByRole('row').nth(3).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('complementary').getByRole('heading', { level: 2 }).waitFor();
      const first = query(page).get('open');
      await page.keyboard.press('j');
      await page.waitForFunction((open) => !window.location.search.includes(open), first);
      await page.keyboard.press('Escape');
      await page.getByRole('complementary').waitFor({ state: 'detached' });
      assert.equal(query(page).get('open'), null);
    }));

  it('goes from a slow route to its requests, keeping the range relative', () =>
    walk('/p/default?from=-15m', async (page) => {
      await page.getByRole('region', { name: 'Routes' }).getByRole('link').first().click();
      await page.getByRole('row').nth(1).waitFor();
      assert.equal(query(page).get('from'), '-15m');
      assert.match(
        query(page).get('filter'),
        /^service = '.+' AND method = '.+' AND route = '.+'$/,
      );
    }));

  it('chooses a range and a theme, and both survive a reload', () =>
    walk('/', async (page) => {
      await page.getByRole('button', { name: /^Time range/ }).click();
      await page.getByRole('button', { name: 'Last 15 minutes' }).click();
      assert.equal(query(page).get('from'), '-15m');
      await page.getByRole('button', { name: 'Theme: system' }).click();
      await page.getByRole('button', { name: 'Theme: light' }).click();
      await page.reload();
      await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
      await page.getByRole('button', { name: 'Time range: Last 15 minutes' }).waitFor();
    }));

  it('shows in the live tail what matches its filter, as it comes', () =>
    walk(
      `/p/default/live?${new URLSearchParams({ filter: "service = 'tail-probe'" })}`,
      async (page) => {
        await page.getByText('Waiting for requests that match').waitFor();
        const items = [1, 2, 3].map((n) => ({
          type: 'request',
          ts: new Date().toISOString(),
          service: 'tail-probe',
          method: 'GET',
          route: `/probe/${mark}`,
          path: `/probe/${mark}/${n}`,
          status: 200,
          duration_ms: n,
        }));
        await send(trackway, items);
        await page.getByText(`/probe/${mark}/3`).waitFor();
        assert.equal(await page.getByRole('row').count(), 1 + items.length);
      },
    ));

  it('marks the place where a filter is wrong', async () => {
    const { page, close } = await openPage(browser, trackway.url);
    try {
      await page.goto(`/p/default/requests?${new URLSearchParams({ filter: 'status >=' })}`);
      await page.getByRole('alert').getByText('is expected').waitFor();
      await assertAccessible(page, 'a wrong filter');
    } finally {
      await close();
    }
  });
});
