// @requirement Capture: Capture knows kinds, checksums, read-back and corrections, and falls back to keys or spelling.
import { describe, expect, it } from 'vitest';
import { type CaptureHints, type CaptureKind, READERS } from '../../../src/language/capture/index.ts';

const TODAY = Date.UTC(2026, 10, 21);

const read = (kind: CaptureKind, text: string, hints: Partial<CaptureHints> = {}) =>
  READERS[kind]({ text }, '', { language: 'en', today: TODAY, ...hints });

type Row = readonly [text: string, value: string | null, hints?: Partial<CaptureHints>];

const GOLDEN: Readonly<Partial<Record<CaptureKind, readonly Row[]>>> = {
  digits: [
    ['four seven one one', '4711'],
    ['it is double oh seven', '007'],
    ['The number is 12 34 56.', '123456'],
    ['triple five, one two', '55512'],
    ['twenty five, thirty one', '2531'],
    ['oh uh five and then six', '056'],
    ['null acht fünfzehn', '0815', { language: 'de' }],
    ['quatre-vingt-dix, douze', '9012', { language: 'fr' }],
    ['zwei drei', null, { language: 'de', length: { min: 4, max: 4 } }],
    ['uno dos tres cuatro', '1234', { language: 'es' }],
    ['cinque sei sette', '567', { language: 'it' }],
    ['meia dúzia', '6', { language: 'pt' }],
    ['twee vier zes', '246', { language: 'nl' }],
    ['एक दो तीन', '123', { language: 'hi' }],
    ['4 5 3 9 1 4 8 8 0 3 4 3 6 4 6 7', '4539148803436467', { check: 'luhn' }],
    ['4 5 3 9 1 4 8 8 0 3 4 3 6 4 6 8', null, { check: 'luhn' }],
    ['I do not know', null],
  ],
  phone: [
    ['four one five, five five five, two six seven one', '+14155552671'],
    ['my number is 415-555-2671', '+14155552671'],
    ['one four one five five five five two six seven one', '+14155552671'],
    ['plus four four, two oh, seven nine four six, oh nine five eight', '+442079460958'],
    ['oh two oh seven nine four six oh nine five eight', '+442079460958', { country: 'GB' }],
    ['null drei null eins zwei drei vier fünf sechs', '+4930123456', { language: 'de', country: 'DE' }],
    [
      'zéro six douze trente-quatre cinquante-six soixante-dix-huit',
      '+33612345678',
      { language: 'fr', country: 'FR' },
    ],
    ['seis uno dos tres cuatro cinco seis siete ocho', '+34612345678', { language: 'es', country: 'ES' }],
    ['four one five five five five', null],
    ['one two three, four five six, seven eight nine oh', null],
  ],
  email: [
    ['john.smith@gmail.com', 'john.smith@gmail.com'],
    ['my email is john dot smith at gmail dot com', 'john.smith@gmail.com'],
    ['J O H N underscore 5 at example dot co dot uk', 'john_5@example.co.uk'],
    ["it's maria at outlook.com", 'maria@outlook.com'],
    ['b as in bravo, o, b, at acme dash corp dot org', 'bob@acme-corp.org'],
    ['ana arroba correo punto es', 'ana@correo.es', { language: 'es' }],
    ['hans punkt meier at web punkt de', 'hans.meier@web.de', { language: 'de' }],
    ['I am at home', null],
  ],
  code: [
    ['A B 1 2', 'AB12'],
    ['alpha bravo one two', 'AB12'],
    ['B as in boy, 7, double X', 'B7XX'],
    ['SQ as in Quebec, 142', 'SQ142'],
    ['CVP as in tango, 1-7-6', 'CVT176'],
    ['P is in Papa, L, 4', 'PL4'],
    ['bee seven tee', 'B7T'],
    ['D wie Dora, fünf', 'D5', { language: 'de' }],
    ['G B 8 2 W E S T 1 2 3 4 5 6 9 8 7 6 5 4 3 2', 'GB82WEST12345698765432', { check: 'iban' }],
    ['G B 8 2 W E S T 1 2 3 4 5 6 9 8 7 6 5 4 3 1', null, { check: 'iban' }],
  ],
  name: [
    ['my name is john smith', 'John Smith'],
    ['S M I T H', 'Smith'],
    ['Smith, that is S M Y T H E', 'Smythe'],
    ['je m’appelle Anne Dupont', 'Anne Dupont', { language: 'fr' }],
  ],
  date: [
    ['the fifth of December', '2026-12-05'],
    ['tomorrow please', '2026-11-22'],
    ['February 30th', null],
    ['il cinque dicembre', '2026-12-05', { language: 'it' }],
    ['cinco de dezembro', '2026-12-05', { language: 'pt' }],
    ['vijf december', '2026-12-05', { language: 'nl' }],
    ['am fünften Dezember', '2026-12-05', { language: 'de' }],
  ],
  time: [
    ['half past seven in the evening', '19:30'],
    ['seven thirty pm', '19:30'],
    ['at seven', null],
    ['halb acht abends', '19:30', { language: 'de' }],
    ['kwart over zeven in de avond', '19:15', { language: 'nl' }],
    ['alle sette e mezza di sera', '19:30', { language: 'it' }],
    ['às sete e meia da noite', '19:30', { language: 'pt' }],
  ],
  amount: [
    ['twenty five dollars and fifty cents', '2550 USD'],
    ['$25.50', '2550 USD'],
    ['twelve fifty', '1250 EUR', { currency: 'EUR' }],
    ['two hundred dollars', '20000 CAD', { currency: 'CAD' }],
    ['fünfundzwanzig Euro', '2500 EUR', { language: 'de' }],
    ['पाँच सौ रुपये', '50000 INR', { language: 'hi' }],
    ['fifty', null],
  ],
  yes_no: [
    ['yes please', 'yes'],
    ['no thanks', 'no'],
    ['yes, but not on Friday', null],
    ['sim', 'yes', { language: 'pt' }],
    ['klopt', 'yes', { language: 'nl' }],
    ['certo', 'yes', { language: 'it' }],
  ],
};

const ROWS = Object.entries(GOLDEN).flatMap(([kind, rows]) =>
  rows.map(([text, value, hints = {}]) => ({ kind: kind as CaptureKind, text, value, hints })),
);

describe('a reader', () => {
  it.each(ROWS)('of $kind reads "$text" as $value', ({ kind, text, value, hints }) => {
    expect(read(kind, text, hints).value).toBe(value);
  });
});

describe('what a reader lacks', () => {
  it.each([
    ['phone', 'four one five', { what: 'length', have: 3, min: 10, max: 10 }],
    ['time', 'at seven', { what: 'half_of_day', hour: 7, minute: 0 }],
    ['date', '5/12', { what: 'day' }],
    ['digits', 'hello', { what: 'everything' }],
    ['amount', 'fifty', { what: 'format' }],
  ] as const)('of %s in "%s" is told', (kind, text, missing) => {
    expect(read(kind, text).missing).toMatchObject(missing);
  });

  it('is the characters that recognition was unsure of', () => {
    const words = 'four one five'.split(' ').map((text, at) => ({ text, confidence: at === 1 ? 0.3 : 0.9 }));
    const reading = READERS.digits({ text: 'four one five', words }, '', { language: 'en' });
    expect(reading).toMatchObject({ value: null, missing: { what: 'characters', at: [1] } });
  });
});

describe('what a person reads back', () => {
  it.each([
    ['phone', '4155552671', '4 1 5, 5 5 5, 2 6 7 1', {}],
    ['digits', '12345678', '1 2 3 4, 5 6 7 8', {}],
    ['digits', '1234567', '1 2 3, 4 5 6 7', {}],
    ['code', 'A B 1', 'A as in alpha, B as in bravo, 1', {}],
    ['email', 'jo@x-y.com', 'J O at x dash y dot com', {}],
    ['date', 'tomorrow', 'Sunday, November 22, 2026', {}],
    ['amount', '$25.50', '25.50 US dollars', {}],
    ['code', 'B 5', 'B wie Berta, 5', { language: 'de' }],
  ] as const)('of %s "%s" is "%s"', (kind, text, readBack, hints) => {
    expect(read(kind, text, hints).readBack).toBe(readBack);
  });
});

describe('keys', () => {
  it.each([
    ['phone', '4155552671', '+14155552671'],
    ['date', '05122026', '2026-12-05'],
    ['date', '31022026', null],
    ['time', '1930', '19:30'],
    ['time', '2530', null],
    ['amount', '25*50', '2550 EUR'],
    ['yes_no', '1', 'yes'],
  ] as const)('type %s %s as %s', (kind, keys, value) => {
    const hints = { language: 'en', today: TODAY, currency: 'EUR' } as const;
    expect(READERS[kind]({ text: '' }, keys, hints).value).toBe(value);
  });
});

it('reads a number as long as a message', () => {
  const read = (kind: 'digits' | 'phone' | 'date' | 'time') =>
    READERS[kind]({ text: '4 '.repeat(4_000) }, '', { language: 'en' }).value;
  expect(read('digits')).toBe('4'.repeat(4_000));
  expect(read('phone')).toBeNull();
  expect(read('date')).toBeNull();
  expect(read('time')).toBeNull();
  const words = Array.from({ length: 150 }, (_, at) => ({ text: '4', confidence: at === 100 ? 0.6 : 0.9 }));
  const spoken = READERS.digits({ text: '4 '.repeat(150), words }, '', { language: 'en' });
  expect(spoken.value).toBe('4'.repeat(150));
  expect(spoken.confidence).toBe(0.6);
});

it('reads a word for a repetition that repeats itself as none', () => {
  expect(READERS.digits({ text: 'double '.repeat(20_000) }, '', { language: 'en' }).value).toBeNull();
});
