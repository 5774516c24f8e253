import { WHOLE } from './valid-requests.ts';

const CLASSES: readonly unknown[] = [
  null,
  -1,
  '',
  '\u0000',
  '\ud800',
  'a'.repeat(100_000),
  [[[[]]]],
  { toString: 1 },
];

export const HOSTILE_VALUES: readonly unknown[] = WHOLE
  ? [
      ...CLASSES,
      true,
      1e308,
      ' ',
      "'; drop table organizations; --",
      '../../../../etc/passwd',
      '{{7*7}}#{7*7}',
      [],
      {},
      { $ne: null },
    ]
  : CLASSES;

export const HOSTILE_QUERIES: readonly string[] = WHOLE
  ? ['', '\u0000', '-1', 'a'.repeat(5000), "' or 1=1 --", '[object Object]']
  : ['', '\u0000', 'a'.repeat(5000)];

export const HOSTILE_PATHS: readonly string[] = [
  '%00',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  'a'.repeat(400),
  '%F0%9F%92%A9',
  "'%20or%201=1--",
  '-1',
  'constructor',
  '__proto__',
];

export const HOSTILE_BODIES: readonly (readonly [string, string, string])[] = [
  ['malformed JSON', '{"a":', 'application/json'],
  ['a list', '[]', 'application/json'],
  ['a text', '"text"', 'application/json'],
  ['a prototype', '{"__proto__":{"admin":true}}', 'application/json'],
  ['a constructor', '{"constructor":{"prototype":{"admin":true}}}', 'application/json'],
  ['deep nesting', `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`, 'application/json'],
  ['nesting in every field', nestedFields(), 'application/json'],
  ['bytes that are not UTF-8', '\xff\xfe{"a":1}', 'application/json'],
  ['another type', '<a/>', 'application/xml'],
  ['a form without a boundary', 'x', 'multipart/form-data'],
];

function nestedFields(): string {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  return `{"metadata":${deep},"meta":null,"name":"x"}`;
}
