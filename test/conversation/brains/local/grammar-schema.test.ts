// @requirement Local models: A grammar restricts the tool calls of a local model to declared tools and their schemas.
import { expect, it } from 'vitest';
import { grammarSchema } from '../../../../src/conversation/brains/grammar-schema.ts';

const object = (properties: object) => ({ type: 'object', properties });
const [text, flag] = [{ type: 'string' }, { type: 'boolean' }];

it.each([
  ['nothing asked for', { type: 'object' }, object({})],
  [
    'required properties',
    { type: 'object', properties: { a: text, b: flag }, required: ['a', 'b'] },
    object({ a: text, b: flag }),
  ],
  [
    'an optional one, there or not',
    { type: 'object', properties: { a: text, b: flag }, required: ['a'] },
    { oneOf: [object({ a: text, b: flag }), object({ a: text })] },
  ],
  [
    'many optional ones, all or none',
    { properties: { a: text, b: text, c: text, d: text } },
    { oneOf: [object({ a: text, b: text, c: text, d: text }), object({})] },
  ],
  ['a short range', { type: 'integer', minimum: 1, exclusiveMaximum: 4 }, { enum: [1, 2, 3] }],
  ['a long range', { type: 'integer', minimum: 0, maximum: 100_000 }, { type: 'integer' }],
  ['lengths', { type: 'string', minLength: 2, maxLength: 5 }, { type: 'string', minLength: 2, maxLength: 5 }],
  ['a date', { type: 'string', format: 'date' }, { type: 'string', format: 'date' }],
  ['an unknown format', { type: 'string', format: 'email' }, text],
  ['one of several types', { type: ['string', 'null'] }, { oneOf: [text, { type: 'null' }] }],
  ['values', { type: 'string', enum: ['a', 'b'] }, { enum: ['a', 'b'] }],
  [
    'an object as a value',
    { const: { a: [1, null] } },
    {
      oneOf: [
        object({
          a: { type: 'array', prefixItems: [{ const: 1 }, { const: null }], minItems: 2, maxItems: 2 },
        }),
      ],
    },
  ],
  [
    'what is defined elsewhere in it',
    { $ref: '#/$defs/day', $defs: { day: { enum: ['mon'] } } },
    { enum: ['mon'] },
  ],
  [
    'schemas that all hold',
    { allOf: [{ properties: { a: text } }, { type: 'object', required: ['a'] }] },
    object({ a: text }),
  ],
  [
    'a choice',
    {
      type: 'object',
      required: ['kind'],
      anyOf: [{ properties: { kind: { const: 1 } } }, { properties: { kind: flag } }],
    },
    { oneOf: [object({ kind: { enum: [1] } }), object({ kind: flag })] },
  ],
  [
    'a list',
    { type: 'array', items: text, minItems: 1, maxItems: 2 },
    { type: 'array', items: text, minItems: 1, maxItems: 2 },
  ],
  [
    'a pair',
    { type: 'array', prefixItems: [text, flag], items: false },
    { type: 'array', prefixItems: [text, flag], minItems: 2, maxItems: 2 },
  ],
  [
    'a map',
    { type: 'object', additionalProperties: flag, minProperties: 1 },
    { type: 'object', additionalProperties: flag, minProperties: 1 },
  ],
])('says %s as a grammar can', (_what, schema, expected) => {
  expect(grammarSchema(schema)).toEqual(expected);
});

it('writes out combinations near the top alone: grammars stay small however deep the schema is', () => {
  const deep = (levels: number): object => ({
    type: 'object',
    properties: { a: text, b: text, ...(levels > 0 ? { c: deep(levels - 1) } : {}) },
  });
  expect(JSON.stringify(grammarSchema(deep(12) as Record<string, unknown>)).length).toBeLessThan(50_000);
});

it('refuses a schema that refers to itself', () => {
  const tree = {
    $ref: '#/$defs/tree',
    $defs: { tree: { type: 'object', properties: { t: { $ref: '#/$defs/tree' } } } },
  };
  expect(() => grammarSchema(tree)).toThrow(/too deeply or refers to itself/);
});
