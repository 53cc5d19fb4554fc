// Writing filter text. The server alone reads the language; here clauses are
// only put together, so that a click on a value gives text a person could have
// typed.

export type Op = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** A string literal of the filter language. */
export function quote(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** `field op value`; numbers stand bare, all else is quoted. */
export function clause(field: string, op: Op, value: string | number): string {
  return `${field} ${op} ${typeof value === 'number' ? String(value) : quote(value)}`;
}

export type MapField =
  'attributes' | 'resource' | 'correlation' | 'request_headers' | 'response_headers';

/** The field of one entry of a map column, as in `attributes['plan']`. */
export function entry(map: MapField, key: string): string {
  return `${map}[${quote(key)}]`;
}

/**
 * Splits at the ANDs that stand outside quotes and parentheses. A filter with an OR
 * there is one clause, in parentheses, and the AND of BETWEEN joins no clauses.
 */
export function clauses(filter: string): string[] {
  const found: string[] = [];
  let start = 0;
  let depth = 0;
  let quoted = ''; // the quote that is open
  let between = false;
  for (let i = 0; i < filter.length; i++) {
    const c = filter[i];
    if (quoted && c === '\\') i++;
    else if (quoted) quoted = c === quoted ? '' : quoted;
    else if (c === "'" || c === '"') quoted = c;
    else if (c === '(') depth++;
    else if (c === ')') depth--;
    else if (depth > 0) continue;
    else if (/^\s(or)\s/i.test(filter.slice(i, i + 4))) return [`(${filter.trim()})`];
    else if (/^\sbetween\s/i.test(filter.slice(i, i + 9))) between = true;
    else if (/^\sand\s/i.test(filter.slice(i, i + 5))) {
      if (!between) {
        found.push(filter.slice(start, i));
        start = i + 5;
      }
      between = false;
      i += 4;
    }
  }
  found.push(filter.slice(start));
  return found.map((s) => s.trim()).filter((s) => s !== '');
}

/** The filter narrowed by some clauses; one that is there already is not repeated. */
export function and(filter: string, ...more: string[]): string {
  const narrower = more.filter((one) => one !== '');
  if (narrower.length === 0) return filter;
  const all = clauses(filter);
  for (const one of narrower) {
    if (!all.includes(one)) all.push(one);
  }
  return all.join(' AND ');
}

/** The clauses that pick out one route. */
export function ofRoute(r: { service: string; method: string; route: string }): string {
  return and(
    '',
    r.service && clause('service', '=', r.service),
    r.method && clause('method', '=', r.method),
    r.route && clause('route', '=', r.route),
  );
}

/**
 * Cuts text at a byte offset of its UTF-8 form, which is how the server counts.
 * The error caret is drawn between the two parts.
 */
export function splitAtByte(text: string, offset: number): [before: string, after: string] {
  const bytes = new TextEncoder().encode(text);
  const before = new TextDecoder().decode(bytes.subarray(0, Math.max(0, offset)));
  return [before, text.slice(before.length)];
}
