// A trace as a tree, laid out for the waterfall.

import { nanos } from './time';
import type { Row } from './types';

export interface Node {
  row: Row;
  depth: number;
  children: number;
  /** ms after the trace's first instant */
  start: number;
  /** ms */
  length: number;
  /** ms spent in the node itself, not in its children */
  self: number;
  failed: boolean;
  events: Mark[];
}

/** An event drawn on its span's bar. */
export interface Mark {
  row: Row;
  /** ms after the trace's first instant */
  at: number;
  failed: boolean;
}

export interface Layout {
  /** depth first, siblings by start */
  nodes: Node[];
  /** events whose span is not in the trace, by time */
  loose: Mark[];
  /** ms from the first instant to the last */
  length: number;
  services: string[];
  failures: number;
}

const SEVERITY_ERROR = 17;

export function layout(records: Row[]): Layout {
  const spans = records.filter((r) => r.type !== 'event');
  const events = records.filter((r) => r.type === 'event');

  let origin: bigint | undefined;
  for (const r of records) {
    const t = nanos(r.ts);
    if (origin === undefined || t < origin) origin = t;
  }
  const offset = (r: Row) => Number(nanos(r.ts) - (origin ?? 0n)) / 1e6;

  const bySpan = new Map<string, Node>();
  const all: Node[] = [];
  let end = 0;
  for (const row of spans) {
    const node: Node = {
      row,
      depth: 0,
      children: 0,
      start: offset(row),
      length: (row.duration ?? 0) / 1e6,
      self: 0,
      failed: isFailed(row),
      events: [],
    };
    end = Math.max(end, node.start + node.length);
    all.push(node);
    if (row.span_id) bySpan.set(row.span_id, node);
  }

  const below = new Map<Node, Node[]>();
  const roots: Node[] = [];
  for (const node of all) {
    const parent = node.row.parent_span_id ? bySpan.get(node.row.parent_span_id) : undefined;
    if (!parent || parent === node) {
      roots.push(node);
      continue;
    }
    const siblings = below.get(parent);
    if (siblings) siblings.push(node);
    else below.set(parent, [node]);
  }

  const loose: Mark[] = [];
  for (const row of events) {
    const mark = { row, at: offset(row), failed: isFailed(row) };
    end = Math.max(end, mark.at);
    const node = row.span_id ? bySpan.get(row.span_id) : undefined;
    if (node) node.events.push(mark);
    else loose.push(mark);
  }

  const nodes: Node[] = [];
  const seen = new Set<Node>();
  const walk = (from: Node[]) => {
    // A stack of our own: a trace can be deeper than the call stack.
    const stack = [...from].sort(latestFirst);
    for (let node = stack.pop(); node; node = stack.pop()) {
      if (seen.has(node)) continue;
      seen.add(node);
      const children = below.get(node) ?? [];
      node.children = children.length;
      node.self = selfTime(node, children);
      node.events.sort((a, b) => a.at - b.at);
      nodes.push(node);
      for (const child of children) child.depth = node.depth + 1;
      stack.push(...children.sort(latestFirst));
    }
  };
  walk(roots);
  // Senders can write spans that are each other's parents; they are shown as roots.
  if (nodes.length < all.length) walk(all.filter((n) => !seen.has(n)));

  return {
    nodes,
    loose: loose.sort((a, b) => a.at - b.at),
    length: end,
    services: [...new Set(nodes.map((n) => n.row.service))],
    failures: nodes.filter((n) => n.failed).length,
  };
}

function latestFirst(a: Node, b: Node): number {
  return b.start - a.start || b.length - a.length;
}

export function isFailed(row: Row): boolean {
  if (row.type === 'event') return (row.severity ?? 0) >= SEVERITY_ERROR || !!row.error_type;
  return row.span_status === 'error' || (row.status ?? 0) >= 500;
}

/** The node's time less the union of its children's, each cut to the node. */
function selfTime(node: Node, children: Node[]): number {
  const end = node.start + node.length;
  let covered = 0;
  let reached = node.start;
  for (const child of [...children].sort((a, b) => a.start - b.start)) {
    const from = Math.max(child.start, reached);
    const to = Math.min(child.start + child.length, end);
    if (to > from) {
      covered += to - from;
      reached = to;
    }
  }
  return node.length - covered;
}

/** The nodes left when some are folded: what lies below a folded node is hidden. */
export function visible(nodes: Node[], folded: ReadonlySet<string>): Node[] {
  if (folded.size === 0) return nodes;
  const shown: Node[] = [];
  let hiddenBelow = Infinity;
  for (const node of nodes) {
    if (node.depth > hiddenBelow) continue;
    hiddenBelow = folded.has(node.row.id) ? node.depth : Infinity;
    shown.push(node);
  }
  return shown;
}

/** What marks the row on its trace's page: an event its own id, all else the span's. */
export function spanOf(row: Row): string | undefined {
  return row.type === 'event' ? row.id : row.span_id;
}

/** What a row is called in a list: its name, or its method and route. */
export function title(row: Row): string {
  if (row.type !== 'request') return row.name ?? row.message ?? row.type;
  const what = row.route ?? row.path ?? row.name ?? '';
  return row.method ? `${row.method} ${what}` : what || (row.kind ?? 'request');
}
