/** No text takes long to read: a match may begin anywhere, and be followed by anything. */
import { describe, expect, it } from 'vitest';
import {
  incompleteSpans,
  PII_ENTITIES,
  redactSegments,
  redactText,
  scanForPii,
} from '../../../src/language/pii/index.ts';
import { cpuMs } from '../../event-loop-blocking.ts';

const LENGTH = 3_000;
const LONGEST_MS = 450;

const TRIGGERS = [
  '',
  '12 Main Street',
  '12 Main Street, ',
  'Hauptstraße 12',
  'Unter den Linden',
  'calle Mayor',
  'avenida de la',
  'rue 5',
  '12 rue de la Paix',
  'PSC 1',
  'apartado de correos',
  'मकान नंबर 12',
  'I live at',
  'my address is',
  'zip code',
  'my name is',
  'my name is John',
  'what is your name? ',
  'Mr.',
  'this is Jane',
  'born on',
  'passport number',
  'account number',
  'IBAN DE',
  'my card number is ',
  'número de la tarjeta',
  'cvv',
  'extension',
  'a@b',
  'a at b',
  'a at b dot',
  'call me on +1 (4',
  'last name',
  'huisnummer',
  'sécu',
  'RG',
  'a at the rate b dot',
  'hier ist',
];

const UNITS = [
  ' ',
  '\n',
  '\t',
  ' \n',
  '\u00a0',
  ' \u200b',
  '\u200b',
  '1',
  '1 ',
  '1-',
  '1,',
  '1.',
  '12/',
  'a',
  'A',
  'é',
  'न',
  'a ',
  'A ',
  'Aa ',
  'a1 ',
  'A-',
  'a-',
  'Aa-',
  "A'",
  'A.',
  '-',
  '.',
  ',',
  '. ',
  ', ',
  ': ',
  '"',
  '@',
  'a@a.',
  '#1 ',
  '(1) ',
  '$1',
  'A, ',
  'A AA ',
  'AA 12345 ',
  'de la ',
  'calle ',
  'apt 1 ',
  'Street ',
  'one ',
  'oh ',
  'twenty-',
  'zehn',
  'dot ',
  'at ',
  'dash ',
  'name ',
  'and ',
  'code ',
  'नगर ',
  'efe ',
  'AAA 1 ',
  'clé 53 ',
  'tiret du bas ',
  'la Rose ',
  'name\u2028',
  'मैं ',
  '😀',
];

const run = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length));
const tookMs = (work: () => unknown): number => {
  const before = cpuMs();
  work();
  return Math.round(cpuMs() - before);
};
const read = (text: string) => () => scanForPii(text, PII_ENTITIES);

describe('a text of any kind', () => {
  it.each(UNITS)('of %j behind each word that begins a pattern is read in a short time', (unit) => {
    const texts = TRIGGERS.map((trigger) => `${trigger}${run(unit, LENGTH)}x`);
    // The engine compiles a pattern at its first texts.
    for (const trigger of TRIGGERS) for (let at = 0; at < 3; at += 1) read(trigger)();
    const slow = texts
      .map((text) => ({ text: text.slice(0, 40), ms: tookMs(read(text)) }))
      .filter(({ ms }) => ms > LONGEST_MS);
    expect(slow).toEqual([]);
  });

  it.each([
    ['addresses that never end', 'calle Mayor, '],
    ['words with hyphens', 'A-'],
    ['cards', 'card number 4111 1111 1111 '],
    ['accounts', 'account 1 '],
    ['telephone numbers', '+1 (415) 555 '],
    ['numbers with their names between', 'RG 1 '],
    ['letters by their names', 'efe '],
    ['names that are asked for', 'name\u2028Aa '],
    ['addresses of e-mail', 'b b 1 at c punto com '],
  ])('takes %s in time that grows with their length', (_name, unit) => {
    read(run(unit, 1_000))();
    read(run(unit, 1_000))();
    expect(tookMs(read(run(unit, 100_000)))).toBeLessThan(5_000);
  });

  it('takes a conversation of many words that are personal in time that grows with their number', () => {
    const words = Array.from({ length: 20_000 }, (_, at) => ({ word: 'a@b.co', start: at, end: at + 1 }));
    const text = words.map(({ word }) => word).join(' ');
    expect(tookMs(() => redactSegments([{ text, words }], PII_ENTITIES))).toBeLessThan(8_000);
  });
});

describe('long whitespace', () => {
  const SPACES = ' '.repeat(3_000);

  it('is counted where it stands', () => {
    const text = `I live at${SPACES}42 Maple${SPACES}Street, and my name is${SPACES}Sarah\u200b${SPACES}Johnson.`;
    expect(redactText(text, scanForPii(text, PII_ENTITIES))).toBe(
      `I live at${SPACES}[REDACTED_ADDRESS], and my name is${SPACES}[REDACTED_NAME].`,
    );
    const call = `${SPACES}a@b.co${SPACES}`;
    expect(scanForPii(call)).toEqual([{ type: 'EMAIL', start: 3_000, end: 3_006 }]);
    expect(incompleteSpans(call)).toEqual([{ start: 3_000, end: 3_006 }]);
  });

  it('parts numbers as before, and ends lines', () => {
    const apart = `4111 1111${SPACES}1111 1111`;
    expect(scanForPii(apart)).toEqual([]);
    const lines = `I live at 5${SPACES}\n${SPACES}no more`;
    expect(redactText(lines, scanForPii(lines, PII_ENTITIES))).toBe(
      `I live at [REDACTED_ADDRESS]${SPACES}\n${SPACES}no more`,
    );
  });
});
