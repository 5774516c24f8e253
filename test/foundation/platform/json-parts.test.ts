import { expect, it } from 'vitest';
import { hasMorePartsThan } from '../../../src/foundation/platform/json-parts.ts';
import { cpuMs } from '../../event-loop-blocking.ts';

const MANY = 2_700_000;

it.each([
  ['{}', 1],
  ['[1,2,3]', 3],
  ['{"a":[],"b":{}}', 4],
  ['{"a,[{":"\\"[{,\\\\","b":1}', 2],
  ['"[[[[', 0],
  ['"a\\', 0],
])('counts the lists, objects and commas of %s that stand in no string: %i', (json, parts) => {
  expect(hasMorePartsThan(parts, json)).toBe(false);
  expect(parts > 0 && hasMorePartsThan(parts - 1, json)).toBe(parts > 0);
});

it.each([
  ['empty objects', `[${'{},'.repeat(MANY)}0]`, true],
  ['one string', `["${'['.repeat(3 * MANY)}"]`, false],
  ['quotation marks', `["${'\\"'.repeat(MANY)}"]`, false],
  ['backslashes', `["${'\\\\'.repeat(MANY)}"]`, false],
])('reads 8 MB of %s in a moment', (_name, json, more) => {
  const before = cpuMs();
  expect(hasMorePartsThan(300_000, json)).toBe(more);
  expect(cpuMs() - before).toBeLessThan(1_000);
});
