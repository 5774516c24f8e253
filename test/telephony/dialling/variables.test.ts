import { describe, expect, it } from 'vitest';
import { filled, variablesOf } from '../../../src/telephony/dialling/index.ts';

describe('the placeholders of a prompt', () => {
  const variables = { name: 'Ada', 'order.id': '4711', none: '' };

  it('become their variables, and unknown ones stay', () => {
    expect(
      filled('{{name}}, {{ order.id }}{{none}}: {{nobody}} {{constructor}} {name}', variables, 100),
    ).toBe('Ada, 4711: {{nobody}} {{constructor}} {name}');
    expect(filled('', variables, 100)).toBe('');
  });

  it.each([
    ['Hello {{name}}!', 10, 'Hello Ada!'],
    ['Hello {{name}}!', 9, 'Hello Ada'],
    ['Hello {{name}}!', 7, 'Hello A'],
    ['Hello {{name}}!', 6, 'Hello '],
    ['Hello {{name}}!', 3, 'Hel'],
    ['{{none}}{{none}}{{name}} and on', 5, 'Ada a'],
  ])('of %j end at %i characters', (text, most, expected) => {
    expect(filled(text, variables, most)).toBe(expected);
  });

  it('are filled up to the limit where the whole is longer than a string can be', () => {
    expect(filled('{{a}}'.repeat(100_000), { a: 'v'.repeat(280_000) }, 16_000)).toBe('v'.repeat(16_000));
  });
});

describe('the variables of a call', () => {
  it('are text, numbers and booleans', () => {
    const given = { name: 'Ada', age: 7, isNew: true, nothing: null, list: [1], deep: { toString: 1 } };
    expect(variablesOf(given)).toEqual({ name: 'Ada', age: '7', isNew: 'true' });
  });

  it('are the first hundred, with 4,000 characters of each', () => {
    const given = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`v${at}`, 'v'.repeat(4_001)]));
    const taken = variablesOf({ ['n'.repeat(65)]: 'too long a name', ...given });
    expect(Object.keys(taken)).toEqual(Object.keys(given).slice(0, 100));
    expect(new Set(Object.values(taken))).toEqual(new Set(['v'.repeat(4_000)]));
  });
});
