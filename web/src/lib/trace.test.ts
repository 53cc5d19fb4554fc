import { describe, expect, it } from 'vitest';
import { layout, title, visible } from './trace';
import type { Row } from './types';

function row(
  id: string,
  parent: string,
  startMs: number,
  lengthMs: number,
  more: Partial<Row> = {},
): Row {
  return {
    id: `row-${id}`,
    type: 'span',
    ts: new Date(Date.parse('2026-11-30T12:00:00Z') + startMs).toISOString(),
    project: 'default',
    service: 'api',
    name: id,
    span_id: id,
    parent_span_id: parent,
    duration: lengthMs * 1e6,
    ...more,
  };
}

const names = (l: { nodes: { row: Row }[] }) => l.nodes.map((n) => n.row.name);

describe('layout', () => {
  it('goes depth first, siblings by start', () => {
    const l = layout([
      row('b2', 'a', 50, 20),
      row('c', 'b1', 12, 3),
      row('a', '', 0, 100),
      row('b1', 'a', 10, 20),
    ]);
    expect(names(l)).toEqual(['a', 'b1', 'c', 'b2']);
    expect(l.nodes.map((n) => n.depth)).toEqual([0, 1, 2, 1]);
    expect(l.length).toBe(100);
  });

  it('counts overlapping children once in self time', () => {
    const l = layout([
      row('a', '', 0, 100),
      row('b', 'a', 10, 40),
      row('c', 'a', 30, 40),
      row('d', 'a', 90, 50),
    ]);
    expect(l.nodes[0]?.self).toBe(30);
  });

  it('treats a span whose parent is not there as a root', () => {
    const l = layout([row('b', 'gone', 5, 1), row('a', '', 0, 1)]);
    expect(names(l)).toEqual(['a', 'b']);
    expect(l.nodes.every((n) => n.depth === 0)).toBe(true);
  });

  it('shows spans that are each other’s parents', () => {
    const l = layout([row('a', 'b', 0, 1), row('b', 'a', 1, 1), row('self', 'self', 2, 1)]);
    expect(names(l)).toEqual(['self', 'a', 'b']);
  });

  it('hangs events on their span and keeps the others apart', () => {
    const l = layout([
      row('a', '', 0, 10),
      row('e1', '', 4, 0, { type: 'event', span_id: 'a', severity: 17 }),
      row('e2', '', 6, 0, { type: 'event', span_id: 'gone' }),
    ]);
    expect(l.nodes[0]?.events.map((e) => [e.at, e.failed])).toEqual([[4, true]]);
    expect(l.loose.map((e) => e.row.name)).toEqual(['e2']);
  });

  it('holds a trace deeper than the call stack', () => {
    const deep = Array.from({ length: 50_000 }, (_, i) => row(`s${i}`, i ? `s${i - 1}` : '', i, 1));
    expect(layout(deep).nodes.at(-1)?.depth).toBe(49_999);
  });

  it('is empty for no records', () => {
    expect(layout([])).toEqual({ nodes: [], loose: [], length: 0, services: [], failures: 0 });
  });
});

it('hides what lies below a folded node', () => {
  const { nodes } = layout([
    row('a', '', 0, 9),
    row('b', 'a', 1, 1),
    row('c', 'b', 1, 1),
    row('d', 'a', 5, 1),
  ]);
  expect(names({ nodes: visible(nodes, new Set(['row-b'])) })).toEqual(['a', 'b', 'd']);
});

it('names a row', () => {
  expect(title(row('x', '', 0, 0, { type: 'request', method: 'GET', route: '/a' }))).toBe('GET /a');
  expect(title(row('x', '', 0, 0))).toBe('x');
});
