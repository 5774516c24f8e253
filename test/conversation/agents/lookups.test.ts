// @requirement Capture: A lookup that cannot serve is refused, and the error names its field.

import { describe, expect, it } from 'vitest';
import {
  checkLookups,
  checkLookupTools,
  type Lookup,
  MAX_LOOKUP_CHARACTERS,
  MAX_LOOKUP_ROWS,
} from '../../../src/conversation/agents/lookups.ts';
import { candidatesIn } from '../../../src/conversation/calls/record-source.ts';
import { ApiError } from '../../../src/foundation/platform/errors.ts';
import { fc } from '../../property-tests.ts';

function refused(check: () => void): string | undefined {
  try {
    check();
  } catch (error) {
    if (error instanceof ApiError) return error.param ?? '';
    throw error;
  }
  return undefined;
}

const tool = (over: Record<string, unknown> = {}) => ({
  name: 'find',
  kind: 'webhook' as const,
  confirm: false,
  parameters: { type: 'object', properties: { heard: { type: 'string' } } },
  ...over,
});

describe('lookups', () => {
  it.each<[string, Lookup[], string | undefined]>([
    ['values', [{ name: 'a', values: ['x', { value: 'y' }] }], undefined],
    ['a tool', [{ name: 'a', tool: 'find' }], undefined],
    ['neither', [{ name: 'a' }], 'lookups.0'],
    [
      'both',
      [
        { name: 'b', values: ['x'] },
        { name: 'a', values: ['x'], tool: 'find' },
      ],
      'lookups.1',
    ],
    [
      'one name twice',
      [
        { name: 'a', values: ['x'] },
        { name: 'a', tool: 'find' },
      ],
      'lookups.1.name',
    ],
    ['a row twice', [{ name: 'a', values: ['x', 'y', { value: 'x', id: '2' }] }], 'lookups.0.values.2'],
    [
      'a label twice',
      [
        {
          name: 'a',
          values: [
            { value: 'x', label: 'l' },
            { value: 'x', label: 'l' },
          ],
        },
      ],
      'lookups.0.values.1',
    ],
    [
      'two labels',
      [
        {
          name: 'a',
          values: [
            { value: 'x', label: 'l' },
            { value: 'x', label: 'm' },
          ],
        },
      ],
      undefined,
    ],
    [
      'too many rows together',
      ['a', 'b'].map((name) => ({
        name,
        values: Array.from({ length: MAX_LOOKUP_ROWS / 2 + 1 }, (_, at) => `r${at}`),
      })),
      'lookups',
    ],
    [
      'too many characters',
      [
        {
          name: 'a',
          values: Array.from({ length: 2_500 }, (_, at) =>
            `${at}`.padEnd(MAX_LOOKUP_CHARACTERS / 2_500, 'x'),
          ),
        },
      ],
      'lookups',
    ],
  ])('with %s', (_, lookups, param) => {
    expect(refused(() => checkLookups(lookups))).toBe(param);
  });

  it.each<[string, ReturnType<typeof tool>[], string | undefined]>([
    ['a tool that takes what was heard', [tool()], undefined],
    ['no such tool', [tool({ name: 'other' })], 'lookups.0.tool'],
    ['a tool that asks the caller', [tool({ confirm: true })], 'lookups.0.tool'],
    ['a tool without the parameter', [tool({ parameters: { type: 'object' } })], 'lookups.0.tool'],
    ['a tool that an MCP server may have', [tool({ name: 'server', kind: 'mcp' })], undefined],
  ])('name %s', (_, tools, param) => {
    expect(refused(() => checkLookupTools([{ name: 'a', tool: 'find' }], tools))).toBe(param);
  });
});

describe("a tool's answer", () => {
  it('is a list, or candidates, of texts and rows', () => {
    expect(candidatesIn('["a", {"value": "b", "id": "2"}]')).toEqual([
      { value: 'a' },
      { value: 'b', id: '2' },
    ]);
    expect(candidatesIn('{"candidates": [{"value": "b", "spoken": ["c", 4]}]}')).toEqual([
      { value: 'b', spoken: ['c'] },
    ]);
  });

  it('never fails, whatever it is, and gives at most 200 rows of bounded texts', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue(), { maxLength: 300 })), (answer) => {
        const rows = candidatesIn(JSON.stringify(answer));
        expect(rows.length).toBeLessThanOrEqual(200);
        for (const { value } of rows) expect(value.length).toBeLessThanOrEqual(200);
      }),
    );
    expect(candidatesIn(JSON.stringify(['x'.repeat(201), ' ', null, ['a']]))).toEqual([]);
  });
});
