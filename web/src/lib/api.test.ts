import { afterEach, describe, expect, it, vi } from 'vitest';
import { api, ApiError, apiUrl, search } from './api';

afterEach(() => vi.unstubAllGlobals());

function answer(status: number, body: unknown) {
  const fetched = vi.fn<typeof fetch>(async () => new Response(JSON.stringify(body), { status }));
  vi.stubGlobal('fetch', fetched);
  return fetched;
}

it('leaves out parameters without a value', () => {
  expect(search({ filter: '', from: '-1h', cursor: undefined, limit: 5 })).toBe(
    '?from=-1h&limit=5',
  );
  expect(search({})).toBe('');
});

it('escapes what stands in the path', () => {
  expect(apiUrl('default', 'requests', { filter: "a = 'x&y'" })).toBe(
    '/api/v1/projects/default/requests?filter=a+%3D+%27x%26y%27',
  );
});

describe('api', () => {
  it('asks with the range and the filter', async () => {
    const fetched = answer(200, { rows: [], stats: {} });
    await api('default').requests({ filter: 'status >= 500', from: '-1h', to: 'now' });
    expect(fetched.mock.calls[0]?.[0]).toBe(
      '/api/v1/projects/default/requests?filter=status+%3E%3D+500&from=-1h&to=now',
    );
  });

  it('keeps a slash inside a journey’s value', async () => {
    const fetched = answer(200, { rows: [] });
    await api('default').journey('order_id', 'a/b', { from: '-1h', to: 'now' });
    expect(fetched.mock.calls[0]?.[0]).toContain('/journeys/order_id/a%2Fb?');
  });

  it('hands on where a filter is wrong', async () => {
    answer(400, {
      title: 'Bad Request',
      detail: 'bad filter',
      position: 7,
      expected: 'a number',
    });
    const failed = api('default').requests({ filter: 'status ', from: '-1h', to: 'now' });
    await expect(failed).rejects.toMatchObject({
      status: 400,
      position: 7,
      message: 'Here a number is expected.',
    });
  });

  it('asks for a record under its kind', async () => {
    const fetched = answer(200, { id: 'a' });
    expect(await api('default').record('event', 'a')).toMatchObject({ id: 'a' });
    expect(fetched.mock.calls[0]?.[0]).toBe('/api/v1/projects/default/events/a');
  });

  it('gives an empty heatmap its empty list of rows', async () => {
    answer(200, { from: '', step_s: 60, columns: 0, cells: [] });
    const range = { from: '-1h', to: 'now' };
    expect((await api('default').latencyHeatmap(range)).buckets).toEqual([]);
    expect((await api('default').routeHeatmap(range)).routes).toEqual([]);
  });

  it('says so when nobody answers', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed to fetch')));
    const e = await api('default')
      .record('request', 'x')
      .catch((e: unknown) => e);
    expect(e).toBeInstanceOf(ApiError);
    expect((e as ApiError).status).toBe(0);
    expect((e as ApiError).advice).toContain('query server');
  });

  it('survives an error that is not JSON', async () => {
    vi.stubGlobal('fetch', async () => new Response('<html>', { status: 502 }));
    await expect(api('default').record('request', 'x')).rejects.toMatchObject({ status: 502 });
  });
});
