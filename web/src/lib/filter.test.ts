import { describe, expect, it } from 'vitest';
import { and, clause, clauses, entry, ofRoute, quote, splitAtByte } from './filter';

describe('quote', () => {
  it.each([
    ['plain', "'plain'"],
    ["it's", "'it\\'s'"],
    ['a\\b', "'a\\\\b'"],
    ['', "''"],
  ])('%j becomes %s', (value, want) => expect(quote(value)).toBe(want));
});

describe('clause', () => {
  it('leaves numbers bare', () => expect(clause('status', '>=', 500)).toBe('status >= 500'));
  it('quotes text', () => expect(clause('route', '=', '/a')).toBe("route = '/a'"));
  it('names an entry of a map', () =>
    expect(clause(entry('attributes', 'plan'), '=', 'pro')).toBe("attributes['plan'] = 'pro'"));
});

describe('clauses', () => {
  it.each([
    ['', []],
    ['status = 500', ['status = 500']],
    ['a = 1 AND b = 2 and c = 3', ['a = 1', 'b = 2', 'c = 3']],
    ["a = 'this AND that' AND b = 2", ["a = 'this AND that'", 'b = 2']],
    ["a = 'it\\'s AND' AND b = 2", ["a = 'it\\'s AND'", 'b = 2']],
    ['a = "it\'s AND" AND b = 2', ['a = "it\'s AND"', 'b = 2']],
    ['brand = 1', ['brand = 1']],
    ['a = 1 OR b = 2', ['(a = 1 OR b = 2)']],
    ['(a = 1 OR b = 2) AND c = 3', ['(a = 1 OR b = 2)', 'c = 3']],
    ["a = 'x OR y' AND b = 2", ["a = 'x OR y'", 'b = 2']],
    ['a BETWEEN 1 AND 2 AND b = 3', ['a BETWEEN 1 AND 2', 'b = 3']],
    ['NOT (a = 1 AND b = 2) AND c = 3', ['NOT (a = 1 AND b = 2)', 'c = 3']],
  ])('%j', (filter, want) => expect(clauses(filter)).toEqual(want));
});

describe('and', () => {
  it('starts from nothing', () => expect(and('', 'a = 1')).toBe('a = 1'));
  it('does not repeat a clause', () =>
    expect(and('a = 1', 'a = 1', 'b = 2')).toBe('a = 1 AND b = 2'));
  it('skips empty clauses', () => expect(and('a = 1', '')).toBe('a = 1'));
  it('narrows all of an OR', () =>
    expect(and('a = 1 OR b = 2', 'c = 3')).toBe('(a = 1 OR b = 2) AND c = 3'));
  it('leaves a filter alone that nothing narrows', () =>
    expect(and('a = 1 OR b = 2')).toBe('a = 1 OR b = 2'));
});

it('picks out a route by what is known of it', () => {
  expect(ofRoute({ service: 'api', method: 'GET', route: '/a' })).toBe(
    "service = 'api' AND method = 'GET' AND route = '/a'",
  );
  expect(ofRoute({ service: 'api', method: '', route: '/a' })).toBe(
    "service = 'api' AND route = '/a'",
  );
});

it('cuts text where the server counts bytes', () => {
  expect(splitAtByte('naïve = x', 7)).toEqual(['naïve ', '= x']);
  expect(splitAtByte('abc', 9)).toEqual(['abc', '']);
});
