// @requirement Compliance cases: An extracted value has confidence, provenance and a class of personal data.
import { describe, expect, it } from 'vitest';
import type { ReadField } from '../../../src/telephony/compliance/contract.ts';
import { nameSimilarity } from '../../../src/telephony/compliance/matching/names.ts';
import { readTable } from '../../../src/telephony/compliance/ocr/tesseract.ts';
import { readAs } from '../../../src/telephony/compliance/reading/character-confusion.ts';
import { fieldsOf } from '../../../src/telephony/compliance/reading/fields.ts';
import { mergeReadings } from '../../../src/telephony/compliance/reading/merge-readings.ts';
import { spelt } from '../../../src/telephony/compliance/reading/spelling.ts';
import type { ReadPage } from '../../../src/telephony/compliance/reading/words.ts';
import { Registry } from '../../../src/telephony/compliance/registry/registry.ts';
import type { SnapshotField } from '../../../src/telephony/compliance/registry/snapshot.ts';
import { cpuMs } from '../../event-loop-blocking.ts';

describe('names', () => {
  it.each([
    ['name', 'J ane Walker', 'Jane Walker'],
    ['name', 'Robert) ohnson', 'Robert Johnson'],
    ['name', 'Robert ]ohnson', 'Robert Johnson'],
    ['name', 'J} ane Walker', 'Jane Walker'],
    ['company', 'Lakeside S oftware Pty Ltd', 'Lakeside Software Pty Ltd'],
    ['address', '12 M ain Street, Leeds LS1 2AB', '12 Main Street, Leeds LS1 2AB'],
  ] as const)('of which a letter was torn are whole again, and doubtful: %s %s', (format, seen, text) => {
    expect(spelt(format, seen)).toEqual({ text, doubtful: true });
  });

  it.each([
    ['name', 'Robert J Walker'],
    ['name', 'Maria de la Cruz'],
    ['name', 'Ludwig van der Berg'],
    ['company', 'Plan B for Offices Ltd'],
    ['company', 'Harbour (Trading) Limited'],
    ['address', 'Block C of 12 Mill Lane, Leeds'],
    ['account_number', 'A b12345678'],
  ] as const)('that are so are left alone: %s %s', (format, text) => {
    expect(spelt(format, text)).toEqual({ text, doubtful: false });
  });

  it('of which a letter is gone stay as they are, and are doubtful', () => {
    expect(spelt('company', 'Lakeside oftware Pty Ltd')).toEqual({
      text: 'Lakeside oftware Pty Ltd',
      doubtful: true,
    });
  });
});

describe('letters and digits that look alike', () => {
  it.each([
    ['gstin', '29AAGCB7383J1Z4', '29AAGCB7383J1Z4'],
    ['gstin', '29AAGCB7383J124', '29AAGCB7383J1Z4'],
    ['gstin', 'Z9AAGC87383JIZ4', '29AAGCB7383J1Z4'],
    ['abn', '51 824 753 S56', '51824753556'],
    ['abn', 'S1 8Z4 7S3 5S6', '51824753556'],
    ['pan', 'AAPFU0939F', 'AAPFU0939F'],
    ['pan', 'AAPFUO939F', 'AAPFU0939F'],
    ['gstin', '29AAGCB7383)1Z4', '29AAGCB7383J1Z4'],
  ] as const)('are told apart by %s: %s', (format, seen, value) => {
    expect(readAs(format, seen)?.value).toBe(value);
  });

  it.each([
    ['gstin', '29AAGCB7383J1Z5'],
    ['abn', '51 824 753 557'],
    ['abn', '51 824 753 X56'],
    ['name', 'Jane'],
  ] as const)('are nothing that a check digit refuses: %s %s', (format, seen) => {
    expect(readAs(format, seen)).toBeNull();
  });
});

const read = (value: string, confidence: number, field = 'account_holder', invalid = false): ReadField => ({
  field,
  value,
  confidence,
  provenance: { source: 'ocr', page: 1, box: null, words: null },
  pii_class: 'name',
  ...(invalid ? { invalid } : {}),
});
const sureOf = (...values: ReadField[]): [string, boolean] => {
  const [field] = mergeReadings(...values.map((each) => [each]));
  return [field!.value, field!.confidence >= 0.9];
};

describe('several readings', () => {
  it('are sure of what all of them say, and of nothing else', () => {
    expect(sureOf(read('a', 0.9), read('a', 0.8), read('a', 0.9))).toEqual(['a', true]);
    expect(sureOf(read('a', 0.9), read('a', 0.9), read('b', 0.9))).toEqual(['a', false]);
    expect(sureOf(read('b', 0.99), read('a', 0.7), read('a', 0.7))).toEqual(['a', false]);
    expect(sureOf(read('a', 0.99))).toEqual(['a', false]);
    expect(sureOf(read('a', 0.9), read('a', 0.5), read('a', 0.9))).toEqual(['a', false]);
  });

  it('let a value of its format win over one that is not, and doubt what no reading has right', () => {
    expect(sureOf(read('x', 0.9, 'abn', true), read('51824753556', 0.9, 'abn'))).toEqual([
      '51824753556',
      true,
    ]);
    expect(sureOf(read('x', 0.99, 'phone', true), read('x', 0.99, 'phone', true))).toEqual(['x', false]);
  });

  it('are vouched for by a check digit only where they are legible', () => {
    expect(sureOf(read('51824753556', 0.6, 'abn'))).toEqual(['51824753556', true]);
    expect(sureOf(read('51824753556', 0.5, 'abn'))).toEqual(['51824753556', false]);
  });
});

const ABN: SnapshotField = {
  field: 'abn',
  labels: ['abn'],
  format: 'abn',
  required: true,
  pii_class: 'none',
  max_age_days: null,
};
const page = (source: ReadPage['source'], ...lines: readonly string[]): ReadPage => ({
  number: 1,
  ratio: 1.4,
  source,
  words: lines.flatMap((line, row) =>
    line.split(' ').map((text, at) => ({
      text,
      place: [0.1 + 0.08 * at, 0.1 + 0.05 * row, 0.17 + 0.08 * at, 0.115 + 0.05 * row] as const,
      confidence: 0.95,
      index: 10 * row + at,
    })),
  ),
});
it.each([
  [
    'AU',
    'port_in',
    'invoice',
    'business_name',
    'Customer name: Harbour Dental Pty Ltd',
    'Harbour Dental Pty Ltd',
  ],
  [
    'IN',
    'new_number',
    'pan_card',
    'business_name',
    'Name: Bright Textiles Private Limited',
    'Bright Textiles Private Limited',
  ],
  ['IN', 'new_number', 'signatory_identity', 'signatory_name', 'Name: Asha Rao', 'Asha Rao'],
  [
    'US',
    'port_in',
    'letter_of_authority',
    'phone_number',
    'Telephone number to be ported: 212-736-5000',
    '+12127365000',
  ],
  ['GB', 'port_in', 'letter_of_authority', 'business_name', 'Customer name: Mill Lane Ltd', 'Mill Lane Ltd'],
] as const)(
  'labels that are common on papers are read: %s %s %s %s',
  (country, kind, id, field, line, value) => {
    const subject = { country, kind, number_type: 'local', capabilities: ['voice'] } as const;
    const { config } = new Registry().freeze(subject, 0, null);
    const document = config.documents.find((each) => each.id === id)!;
    const of = { country, dates: config.dates };
    expect(fieldsOf([page('text', line)], document.fields, of)).toContainEqual(
      expect.objectContaining({ field, value, confidence: 0.98 }),
    );
  },
);

const context = { country: 'AU', dates: 'day_first' } as const;

it('a number with a check digit is found without its label, for a person to look at', () => {
  const found = fieldsOf([page('ocr', 'Letter of Authority', '51 824 753 556')], [ABN], context);
  expect(found).toMatchObject([{ field: 'abn', value: '51824753556', confidence: 0.5 }]);
  const labelled = fieldsOf([page('ocr', 'ABN: 51 824 753 556')], [ABN], context);
  expect(labelled).toMatchObject([{ value: '51824753556', confidence: 0.95 }]);
  expect(fieldsOf([page('text', '51 824 753 556')], [ABN], context)).toEqual([]);
});

describe('a page of the most words that are read', () => {
  const { config } = new Registry().freeze(
    { kind: 'new_number', country: 'GB', number_type: 'local', capabilities: ['voice'] },
    0,
    null,
  );
  const { fields } = config.documents.find(({ id }) => id === 'company_extract')!;
  const labelOf = (name: string) => fields.find(({ field }) => field === name)!.labels[0]!;
  const words = (texts: readonly string[], places: (at: number) => [number, number]): ReadPage => ({
    number: 1,
    ratio: 1.4,
    source: 'text',
    words: texts.map((text, index) => {
      const [left, top] = places(index);
      return { text, place: [left, top, left, top] as const, confidence: 1, index };
    }),
  });
  const many = (text: string, count = 3_000) => Array.from({ length: count }, () => text);
  const oneLine = (): [number, number] => [0.1, 0.1];
  const apart = (at: number): [number, number] => [0.1, at / 4_000];
  it.each([
    ['one value', words([`${labelOf('issue_date')}:`, ...many('1')], oneLine)],
    ['one number', words([`${labelOf('company_number')}:`, ...many('1')], oneLine)],
    ['one line', words(many('1'), oneLine)],
    ['labels', words(many(`${labelOf('issue_date')}:`), oneLine)],
    ['lines of labels', words(many(`${labelOf('company_number')}:`), apart)],
    ['words that are nearly labels', words(many(`${labelOf('company_number').split(' ')[0]}x`), apart)],
    ['long words', words(many('a'.repeat(100)), apart)],
  ])('takes no time: %s', (_name, reading) => {
    const read = () => fieldsOf(Array(4).fill(reading), fields, { country: 'GB', dates: config.dates });
    read();
    const before = cpuMs();
    read();
    expect(cpuMs() - before).toBeLessThan(1_500);
  });

  it('is what is read of one value', () => {
    const name = `${labelOf('company_number')}: 12345678 ${'x '.repeat(2_000)}`.trim();
    const found = fieldsOf([page('text', name)], fields, { country: 'GB', dates: config.dates });
    expect(found.find(({ field }) => field === 'company_number')?.value).toBe('12345678');
  });

  it('of two long words, the beginnings are compared', () => {
    const long = 'a'.repeat(200_000);
    const before = cpuMs();
    expect(nameSimilarity(`${long}b`, `${long}c`)).toBe(1);
    expect(nameSimilarity('b '.repeat(20_000), 'c '.repeat(20_000))).toBe(0);
    expect(cpuMs() - before).toBeLessThan(1_500);
  });
});

it('specks beside words are no words', () => {
  const row = (text: string, sure: number, x: number) =>
    ['5', '1', '1', '1', '1', '1', x, 100, 40, 30, sure, text].join('\t');
  const table = [
    ['1', '1', '0', '0', '0', '0', 0, 0, 1000, 1400, -1, ''].join('\t'),
    row('Name', 96, 100),
    row('q', 27, 900),
    row('7', 93, 950),
    row(':', 40, 960),
  ].join('\n');
  expect(readTable(table).words.map(({ text }) => text)).toEqual(['Name', '7', ':']);
});
