import { expect, it } from 'vitest';
import { pretty } from './body';

it.each([
  ['{"a":[1]}', '{\n  "a": [\n    1\n  ]\n}', true],
  ['{"a":', '{"a":', false],
  ['a=1&b=2', 'a=1&b=2', false],
  ['', '', false],
])('%j', (body, text, json) => expect(pretty(body)).toEqual({ text, json }));
