import { expect, it } from 'vitest';
import { links, match } from './routes';

const to = links('default');

it.each([
  ['/', { page: 'overview', project: 'default' }],
  ['/p/shop', { page: 'overview', project: 'shop' }],
  ['/p/shop/requests/', { page: 'requests', project: 'shop' }],
  [to.overview(), { page: 'overview', project: 'default' }],
  [to.live(), { page: 'live', project: 'default' }],
  [to.request('ab12'), { page: 'request', project: 'default', id: 'ab12' }],
  [to.trace('ab12'), { page: 'trace', project: 'default', id: 'ab12' }],
  [to.journeys(), { page: 'journeys', project: 'default' }],
  [
    to.journey('order_id', 'a/b c%'),
    { page: 'journey', project: 'default', key: 'order_id', value: 'a/b c%' },
  ],
  ['/p/shop/nothing', { page: 'missing', project: 'shop' }],
  ['/elsewhere', { page: 'missing', project: 'default' }],
  ['/p/shop/traces/%E0%A4%A', { page: 'trace', project: 'shop', id: '%E0%A4%A' }],
])('%s', (path, want) => expect(match(path)).toEqual(want));

it('keeps a relative range relative in a link', () => {
  expect(to.requests({ filter: 'status = 500', from: '-1h', to: '' })).toBe(
    '/p/default/requests?filter=status+%3D+500&from=-1h',
  );
});
