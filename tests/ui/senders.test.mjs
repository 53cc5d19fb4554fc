// What real SDKs recorded is on the pages: found by route, status, trace and
// correlation key, shown with the ids, parents and attributes that the SDK held,
// and seen live.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { startBrowser, visit } from './browser.mjs';
import { readDetail } from './detail.mjs';
import { call, isRequest, startSenders, text } from './senders.mjs';
import { eventually, startTrackway } from './trackway.mjs';

const mark = randomBytes(4).toString('hex');
const user = `u_${mark}`;
const order = `o_${mark}`;
const failed = `o_failed_${mark}`;

let trackway, browser, senders;
let go, node; // names of the services
let spans; // what both SDKs recorded

before(async () => {
  [trackway, browser] = await Promise.all([startTrackway(), startBrowser()]);
  senders = await startSenders(trackway.otlp, mark);
  [go, node] = [senders.go.service, senders.node.service];
});

after(async () => {
  await senders?.close();
  await browser?.close();
  await trackway?.stop();
});

const see = (path, steps) =>
  visit(browser, trackway.url, { height: 1200 }, async (page) => {
    await page.goto(`/p/default/${path}`);
    await steps(page);
  });
const listed = (filter) => `requests?${new URLSearchParams({ filter })}`;

// First, while the senders run. The tests below are about what they recorded.
it('shows a request live when it is made', () => {
  const filter = `correlation['user_id'] = '${user}'`;
  return see(`live?${new URLSearchParams({ filter })}`, async (page) => {
    await page.getByText('Waiting for requests that match').waitFor();
    const rows = page.getByRole('table').getByRole('row');

    await call(senders.node, 'GET', `/users/${user}`, 200);
    await rows.filter({ hasText: `/users/${user}` }).waitFor();
    assert.equal(await rows.count(), 2, 'the head and one request');

    await call(senders.go, 'GET', `/projects/p_${mark}/tasks?user=${user}`, 200);
    await rows.filter({ hasText: `/projects/p_${mark}/tasks` }).waitFor();
    await call(senders.go, 'POST', `/orders/${order}?user=${user}`, 201, {
      amount: 12.75,
    });
    await rows.filter({ hasText: `/orders/${order}` }).waitFor();
    assert.equal(await rows.count(), 4, 'the newest stands above the others');
    assert.match(await rows.nth(1).innerText(), /POST \/orders\/\{id\}/);
  });
});

describe('what the SDKs recorded', () => {
  before(async () => {
    await call(senders.node, 'GET', `/fail/${failed}`, 500);
    await call(senders.go, 'GET', `/fail/${failed}`, 500);
    spans = await senders.finish();
    for (const id of new Set(spans.map((s) => s.trace_id))) {
      const want = spans.filter((s) => s.trace_id === id).length;
      await eventually(
        trackway,
        `traces/${id}`,
        (a) => a.records.filter((r) => r.type !== 'event').length === want,
      );
    }
  });

  const crossing = () =>
    spans.find((s) => isRequest(s) && s.attributes['http.route'] === '/orders/{id}').trace_id;
  const has = (key, value) => (s) => s.attributes[key] === value;
  const of = (service) => (s) => s.resource['service.name'] === service;
  const lists = {
    'a route of the Go service': () => [
      `service = '${go}' AND route = '/projects/{id}/tasks'`,
      (s) => of(go)(s) && has('http.route', '/projects/{id}/tasks')(s),
      1,
    ],
    'a route of the Node service': () => [
      `service = '${node}' AND route = '/users/:userId'`,
      (s) => of(node)(s) && has('http.route', '/users/:userId')(s),
      1,
    ],
    'the status of a failure in Go': () => [
      `service = '${go}' AND status = 500`,
      (s) => of(go)(s) && has('http.response.status_code', 500)(s),
      1,
    ],
    'the status of a failure in Node': () => [
      `service = '${node}' AND status >= 500`,
      (s) => of(node)(s) && has('http.response.status_code', 500)(s),
      1,
    ],
    'a trace through both': () => [
      `trace_id = '${crossing()}'`,
      (s) => s.trace_id === crossing(),
      2,
    ],
    'the correlation key of an order': () => [
      `correlation['order_id'] = '${order}'`,
      has('order.id', order),
      2,
    ],
    'the correlation key and status of a failure': () => [
      `correlation['order_id'] = '${failed}' AND status = 500`,
      has('order.id', failed),
      1, // Express forgets the parameters of a request that fails
    ],
  };

  for (const [what, list] of Object.entries(lists)) {
    it(`is listed by ${what}, and each request has its page`, () => {
      const [filter, belongs, count] = list();
      const want = spans.filter((s) => isRequest(s) && belongs(s));
      assert.equal(want.length, count, 'requests that the SDKs recorded');
      return see(listed(filter), async (page) => {
        const rows = page
          .getByRole('table')
          .getByRole('row')
          .filter({ has: page.getByRole('link') });
        await rows.first().waitFor();
        const shown = await rows.evaluateAll((all) =>
          all.map((row) => ({
            href: row.querySelector('a').getAttribute('href'),
            cells: [...row.querySelectorAll('[role=cell]')].map((c) => c.textContent.trim()),
          })),
        );
        const line = (status, title, service) => [status, title, service].join(' ');
        assert.deepEqual(
          shown.map(({ cells }) => line(cells[1], cells[2], cells[3])).sort(),
          want.map((s) => line(statusOf(s), titleOf(s), s.resource['service.name'])).sort(),
        );
        const found = [];
        for (const { href } of shown) {
          await page.goto(href);
          const detail = page.getByRole('article');
          await detail.getByText('span_id', { exact: true }).first().waitFor();
          const record = await readDetail(detail);
          const span = want.find((s) => s.span_id === record.fields.span_id.text);
          assert.ok(span, `span ${record.fields.span_id.text} was not recorded`);
          compareRequest(record, span);
          // Express's own span has the exception of the Node service, so the
          // request's page shows it in the trace.
          for (const message of exceptionsOf(spans, span.trace_id)) {
            await page.getByRole('table', { name: 'Trace' }).getByText(message).first().waitFor();
          }
          if (record.status === '500') assert.ok(exceptionsOf(spans, span.trace_id).length > 0);
          found.push(span.span_id);
        }
        assert.deepEqual(found.sort(), want.map((s) => s.span_id).sort());
      });
    });
  }

  it('is a trace of both services, each span below its parent', () => {
    const want = spans.filter((s) => s.trace_id === crossing());
    return see(`traces/${crossing()}`, async (page) => {
      const table = page.getByRole('table', { name: 'Trace' });
      await table.getByRole('row').nth(1).waitFor();
      await page.getByText('2 services', { exact: true }).waitFor();
      await page.getByLabel('Events').uncheck();
      const rows = table.getByRole('row').filter({ has: page.locator('.title') });
      await assert.doesNotReject(rows.nth(want.length - 1).waitFor());
      assert.equal(await rows.count(), want.length);

      const detail = page.getByRole('complementary', { name: 'Span' });
      const indent = new Map(); // by span id
      for (let i = 0; i < want.length; i++) {
        await rows.nth(i).click();
        await page.waitForFunction(
          (seen) => !seen.includes(new URLSearchParams(window.location.search).get('open')),
          [null, ...indent.keys()],
        );
        const id = new URL(page.url()).searchParams.get('open');
        await detail.getByText(id, { exact: true }).waitFor();
        const record = await readDetail(detail);
        const span = want.find((s) => s.span_id === id);
        assert.ok(span, `span ${id} was not recorded`);
        assert.equal(record.heading, isRequest(span) ? titleOf(span) : span.name);
        compareIds(record, span);
        compareAttributes(record, span);
        const box = await rows.nth(i).locator('.title').boundingBox();
        // Depth first: the parent was above.
        const parent = indent.get(span.parent_span_id);
        assert.equal(parent !== undefined, Boolean(span.parent_span_id), `parent of ${span.name}`);
        if (parent !== undefined) assert.ok(box.x > parent, `${span.name} stands below its parent`);
        indent.set(id, box.x);
      }
      assert.deepEqual([...indent.keys()].sort(), want.map((s) => s.span_id).sort());
    });
  });

  it('is the journey of an order through both services', () =>
    see(`journeys/order_id/${order}`, async (page) => {
      const journey = page.getByRole('table', { name: 'Journey' });
      for (const service of [go, node]) await journey.getByText(service).first().waitFor();
    }));
});

const statusOf = (span) => text(span.attributes['http.response.status_code']);
const titleOf = (span) =>
  `${span.attributes['http.request.method']} ${span.attributes['http.route']}`;

const exceptions = (span) =>
  (span.events ?? []).filter((e) => e.name === 'exception').map((e) => e.attributes);
const exceptionsOf = (all, trace) =>
  all
    .filter((s) => s.trace_id === trace)
    .flatMap(exceptions)
    .map((e) => e['exception.message']);

/** Requires that the page of a request shows what the SDK recorded. */
function compareRequest(record, span) {
  assert.equal(record.heading, titleOf(span));
  assert.equal(record.status, statusOf(span));
  compareIds(record, span);
  compareAttributes(record, span);
  const exception = exceptions(span)[0];
  assert.deepEqual(
    record.error,
    exception
      ? {
          type: exception['exception.type'],
          message: exception['exception.message'],
          stack: exception['exception.stacktrace'].trim(),
        }
      : null,
  );
}

function compareIds({ fields }, span) {
  assert.equal(fields.trace_id.text, span.trace_id);
  assert.equal(fields.span_id.text, span.span_id);
  assert.equal(fields.parent_span_id?.text ?? '', span.parent_span_id ?? '');
  assert.equal(fields.service.text, span.resource['service.name']);
}

// Where the page shows attributes that have a column of their own.
const field = (name) => (record) => record.fields[name]?.text;
const size = (name) => (record) => (record.fields[name]?.title ?? '0').replace(/\D/g, '');
const columns = {
  'http.request.method': (record) => record.heading.split(' ')[0],
  'http.route': (record) => record.heading.split(' ')[1],
  'http.response.status_code': (record) => record.status,
  'url.path': field('path'),
  'user_agent.original': field('user_agent'),
  'client.address': field('client_ip'),
  'http.request.body.size': size('request_bytes'),
  'http.response.body.size': size('response_bytes'),
  'service.name': field('service'),
  'service.version': field('release'),
  'deployment.environment.name': field('env'),
  'service.instance.id': field('instance'),
};

/** Requires every attribute that the SDK held, and no other but Trackway's own. */
function compareAttributes(record, span) {
  for (const [map, sent] of [
    ['Attributes', span.attributes],
    ['Resource', span.resource],
  ]) {
    const shown = record.maps[map] ?? {};
    for (const [key, value] of Object.entries(sent)) {
      const got = shown[key] ?? columns[key]?.(record);
      assert.equal(got, value === '' ? '“”' : text(value).trim(), `${key} of ${span.name}`);
    }
    const others = Object.keys(shown).filter((k) => !(k in sent) && !k.startsWith('trackway.'));
    assert.deepEqual(others, [], `${map} of ${span.name} that were not sent`);
  }
}
