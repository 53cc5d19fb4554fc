import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { settings } from '../src/lib/settings.svelte';
import { asked, expectAccessible, open, press } from './app';
import { answer, FixtureSource, request, TRACE_ID } from './fixture';

beforeEach(() => {
  settings.zone = 'utc';
});
afterEach(() => vi.unstubAllGlobals());

const rows = () => document.querySelectorAll('[role=row][aria-rowindex]');
const query = () => new URLSearchParams(window.location.search);

const pages = {
  overview: ['/p/default', 'Routes over time'],
  requests: ['/p/default/requests', '/projects/:id/tasks'],
  'a request beside the list': [`/p/default/requests?open=${request(3).id}`, 'TimeoutError'],
  'a request': [`/p/default/requests/${request(3).id}`, 'Request body'],
  'a trace': [`/p/default/traces/${TRACE_ID}?open=b4`, 'SELECT tasks'],
  journeys: ['/p/default/journeys', 'Follow one user'],
  'a journey': ['/p/default/journeys/user_id/u_1137', 'order.paid'],
  live: ['/p/default/live', 'Connecting'],
  'an unknown address': ['/p/default/nothing', 'no page at this address'],
} as const;

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  beforeEach(() => {
    settings.theme = theme;
  });
  it.each(Object.entries(pages))(
    '%s shows its content and is accessible',
    async (name, [path, text]) => {
      const screen = await open(path);
      await expect.element(screen.getByText(text, { exact: false }).first()).toBeInTheDocument();
      await vi.waitFor(expectAccessible, { timeout: 4000 });
    },
  );
});

describe('the request list', () => {
  it('keeps few rows in the page and reads on by cursor', async () => {
    await open('/p/default/requests');
    await vi.waitFor(() => expect(rows().length).toBeGreaterThan(5));
    expect(rows().length).toBeLessThan(80);
    const list = document.querySelector('[role=table]') as HTMLElement;
    list.scrollTop = list.scrollHeight;
    await vi.waitFor(() => {
      expect(asked.some((a) => a.url.searchParams.get('cursor') === '200')).toBe(true);
    });
    expect(rows().length).toBeLessThan(80);
  });

  it('is walked by keys alone', async () => {
    await open('/p/default/requests');
    await vi.waitFor(() => expect(rows().length).toBeGreaterThan(5));
    for (const key of ['j', 'j', 'k', 'Enter']) press(key);
    expect(query().get('open')).toBe(request(0).id);
    press('j');
    expect(query().get('open')).toBe(request(1).id);
    press('Escape');
    expect(query().get('open')).toBeNull();
  });

  it('takes a filter from the box into the address', async () => {
    const screen = await open('/p/default/requests');
    const box = screen.getByRole('textbox', { name: 'Filter' });
    await expect.element(box).toBeInTheDocument();
    press('/');
    await expect.element(box).toHaveFocus();
    await box.fill('status >= 500');
    (document.activeElement as HTMLInputElement).form?.requestSubmit();
    expect(query().get('filter')).toBe('status >= 500');
    await vi.waitFor(() => {
      expect(asked.at(-1)?.url.searchParams.get('filter')).toBe('status >= 500');
    });
  });

  it('marks where a filter is wrong and keeps what was found before', async () => {
    const screen = await open('/p/default/requests');
    await vi.waitFor(() => expect(rows().length).toBeGreaterThan(5));
    await screen.getByRole('textbox', { name: 'Filter' }).fill('status =');
    (document.querySelector('form[role=search]') as HTMLFormElement).requestSubmit();
    await expect.element(screen.getByText('Here a value is expected.')).toBeInTheDocument();
    expect(rows().length).toBeGreaterThan(5);
  });

  it('cancels what a newer question supersedes', async () => {
    await open('/p/default/requests');
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(1));
    const before = asked[0];
    (document.querySelector('button[aria-label=Refresh]') as HTMLButtonElement).click();
    await vi.waitFor(() => expect(before?.signal?.aborted).toBe(true));
  });

  it('says what to do about an error, and tries again', async () => {
    let down = true;
    const screen = await open('/p/default/requests', (url) =>
      down ? [503, { detail: 'The store does not answer.' }] : answer(url),
    );
    await expect.element(screen.getByText('The store does not answer.')).toBeInTheDocument();
    down = false;
    await screen.getByRole('button', { name: 'Try again' }).click();
    await vi.waitFor(() => expect(rows().length).toBeGreaterThan(5));
  });

  it('shows how to send something where nothing is', async () => {
    const screen = await open('/p/default/requests', (url) =>
      url.pathname.endsWith('/requests')
        ? [200, { rows: [], stats: { rows_read: 0, bytes_read: 0, elapsed_ms: 1 } }]
        : answer(url),
    );
    await expect.element(screen.getByText('/v1/ingest', { exact: false })).toBeInTheDocument();
    await expect
      .element(screen.getByText('OTEL_EXPORTER_OTLP_ENDPOINT', { exact: false }))
      .toBeInTheDocument();
  });
});

it('does not let the page that is left answer to the address of the next', async () => {
  const screen = await open(`/p/default/requests?open=${request(3).id}`);
  await screen.getByRole('link', { name: 'Open the trace' }).click();
  await expect
    .element(screen.getByRole('heading', { name: 'Trace', level: 1 }))
    .toBeInTheDocument();
  const ids = asked.filter((a) => a.url.pathname.includes('/requests/')).map((a) => a.url.pathname);
  expect(ids.every((path) => path.endsWith(request(3).id))).toBe(true);
});

it('opens an event of a journey beside it', async () => {
  const screen = await open('/p/default/journeys/user_id/u_1137');
  await screen.getByText('order.paid').first().click();
  expect(query().get('open')).toBe(`event.${request(3).id}`);
  await expect.element(screen.getByText('Message')).toBeInTheDocument();
});

describe('the live tail', () => {
  async function start(n: number) {
    const screen = await open('/p/default/live');
    await vi.waitFor(() => expect(FixtureSource.last?.url).toContain('/tail'));
    const source = FixtureSource.last as FixtureSource;
    source.open();
    for (let i = n; i > 0; i--) source.send('record', request(i));
    await vi.waitFor(() => expect(rows().length).toBeGreaterThan(5));
    return { screen, source };
  }

  it('puts the newest on top and counts what was missed', async () => {
    const { screen, source } = await start(100);
    expect(rows()[0]?.textContent).toContain(request(1).path);
    source.send('missed', { missed: 120 });
    await expect
      .element(screen.getByText('120 rows missed here', { exact: false }))
      .toBeInTheDocument();
    await expect.element(screen.getByText('120 missed', { exact: true })).toBeInTheDocument();
  });

  it('pauses when scrolled, says so, and keeps the rows on resuming', async () => {
    const { screen, source } = await start(400);
    const list = document.querySelector('[role=table]') as HTMLElement;
    list.scrollTop = 600;
    await expect.element(screen.getByText('Paused, 0 new', { exact: false })).toBeInTheDocument();
    const before = rows()[10]?.textContent;
    for (let i = 0; i < 312; i++) source.send('record', request(500 + i));
    await expect.element(screen.getByText('Paused, 312 new', { exact: false })).toBeInTheDocument();
    expect(rows()[10]?.textContent).toBe(before);
    press('Escape');
    await expect.element(screen.getByText('712 held')).toBeInTheDocument();
    expect(list.scrollTop).toBe(0);
  });

  it('says so while no collector is connected', async () => {
    const screen = await open('/p/default/live');
    await vi.waitFor(() => expect(FixtureSource.last?.url).toContain('/tail'));
    FixtureSource.last?.open();
    await expect.element(screen.getByText('Waiting for requests')).toBeInTheDocument();
    FixtureSource.last?.send('status', { connected: 0, endpoints: 1 });
    await expect.element(screen.getByText('Waiting for the collector')).toBeInTheDocument();
    await expect.element(screen.getByText('0 of 1 collectors connected')).toBeInTheDocument();
  });

  it('holds ten thousand rows with few in the page', async () => {
    const { screen, source } = await start(10);
    for (let i = 0; i < 12_000; i++) source.send('record', request(i % 500));
    await expect.element(screen.getByText('10K held')).toBeInTheDocument();
    expect(rows().length).toBeLessThan(80);
  });
});

it('keeps an element for a row that moves', async () => {
  await open('/p/default/live');
  await vi.waitFor(() => expect(FixtureSource.last?.url).toContain('/tail'));
  const source = FixtureSource.last as FixtureSource;
  source.open();
  for (let i = 30; i > 0; i--) source.send('record', request(i));
  await vi.waitFor(() => expect(rows().length).toBeGreaterThan(5));
  const first = rows()[0];
  source.send('record', request(0));
  await vi.waitFor(() => expect(rows()[1]).toBe(first));
});
