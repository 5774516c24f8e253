// @requirement Compliance cases: The rules of US, CA, GB, AU and IN check the forms and checksums of identifiers.
// @requirement Compliance cases: Documents are compared with each other, with reasons.
import { describe, expect, it } from 'vitest';
import {
  gstinCheckDigit,
  isAbn,
  isCin,
  isGstin,
  isPan,
} from '../../../src/telephony/compliance/formats/check-digits.ts';
import { dateOf } from '../../../src/telephony/compliance/formats/dates.ts';
import { formatted } from '../../../src/telephony/compliance/formats/formats.ts';
import { masked } from '../../../src/telephony/compliance/masking.ts';
import { addressSimilarity } from '../../../src/telephony/compliance/matching/addresses.ts';
import { nameSimilarity } from '../../../src/telephony/compliance/matching/names.ts';

describe('check digits', () => {
  it.each(['51824753556', '11223491505', '31010111200', '90000100000'])('takes the ABN %s', (abn) => {
    expect(isAbn(abn)).toBe(true);
  });

  it('takes no ABN with one digit changed', () => {
    for (let at = 0; at < 11; at += 1) {
      for (let add = 1; add < 10; add += 1) {
        const digits = [...'51824753556'];
        digits[at] = String((Number(digits[at]) + add) % 10);
        expect(isAbn(digits.join(''))).toBe(false);
      }
    }
  });

  it('takes GSTINs that were given out, and none with a character changed', () => {
    for (const gstin of ['27AAPFU0939F1ZV', '29AAGCB7383J1Z4']) expect(isGstin(gstin)).toBe(true);
    expect(isGstin('27AAPFU0939F1ZW')).toBe(false);
    expect(isGstin('28AAPFU0939F1ZV')).toBe(false);
    expect(gstinCheckDigit('27AAPFU0939F1Z')).toBe('V');
  });

  it('knows the shapes of a PAN and a CIN', () => {
    expect(isPan('AAPFU0939F')).toBe(true);
    expect(isPan('AAPXU0939F')).toBe(false);
    expect(isPan('AAPFU0939')).toBe(false);
    expect(isCin('U72200KA2013PTC097389')).toBe(true);
    expect(isCin('X72200KA2013PTC097389')).toBe(false);
  });
});

describe('dates', () => {
  it.each([
    ['12 November 2026', 'day_first', '2026-11-12'],
    ['November 12, 2026', 'month_first', '2026-11-12'],
    ['12th of Nov. 2026', 'day_first', '2026-11-12'],
    ['11/12/2026', 'month_first', '2026-11-12'],
    ['11/12/2026', 'day_first', '2026-12-11'],
    ['2026-11-12', 'day_first', '2026-11-12'],
    ['12.11.26', 'day_first', '2026-11-12'],
  ] as const)('reads %s, %s', (text, order, day) => {
    expect(dateOf(text, order)).toBe(day);
  });

  it.each(['31/02/2026', '13/13/2026', 'yesterday', '2026', '', '99 November 2026', '1/2/3/4'])(
    'reads no date in %j',
    (text) => {
      expect(dateOf(text, 'day_first')).toBeNull();
    },
  );
});

describe('formats', () => {
  const context = { country: 'US', dates: 'month_first' } as const;

  it.each([
    ['phone', '(212) 555-0142', '+12125550142'],
    ['account_number', 'AC-99 1234', 'AC991234'],
    ['pin', ' 4821 ', '4821'],
    ['name', 'Jane  Q. Public', 'Jane Q. Public'],
    ['address', '12 Main Street, Springfield, IL 62701', '12 Main Street, Springfield, IL 62701'],
  ] as const)('keeps a %s as it is known by', (format, text, value) => {
    expect(formatted(format, text, context)?.value).toBe(value);
  });

  it.each([
    ['phone', '555'],
    ['pin', '12'],
    ['account_number', 'none'],
    ['name', '12345'],
    ['address', 'Springfield'],
    ['abn', '51824753557'],
  ] as const)('takes no %s that is not one', (format, text) => {
    expect(formatted(format, text, context)).toBeNull();
  });
});

describe('names and addresses', () => {
  it.each([
    ['Jane Q. Public', 'PUBLIC, Jane'],
    ['Acme Trading Limited', 'ACME TRADING LTD.'],
    ['J. Public', 'Jane Public'],
    ['José Núñez', 'Jose Nunez'],
  ])('takes %s for %s', (a, b) => {
    expect(nameSimilarity(a, b)).toBeGreaterThanOrEqual(0.79);
  });

  it.each([
    ['Jane Public', 'John Smith'],
    ['Acme Trading Ltd', 'Apex Shipping Ltd'],
  ])('tells %s from %s', (a, b) => {
    expect(nameSimilarity(a, b)).toBeLessThan(0.7);
  });

  it('tells house numbers apart, and not how a street is written', () => {
    expect(
      addressSimilarity('12 Main Street, Springfield IL 62701', '12 Main St., Springfield, IL 62701'),
    ).toBe(1);
    expect(
      addressSimilarity('12 Main Street, Springfield IL 62701', '14 Main Street, Springfield IL 62701'),
    ).toBeLessThan(0.6);
  });
});

describe('masking', () => {
  it.each([
    ['name', 'Jane Public', 'J••• P•••'],
    ['phone_number', '+12125550142', '•••0142'],
    ['account_number', '12345', '•••'],
    ['secret', '4821', '•••'],
    ['address', '12 Main Street', '•••'],
    ['birth_date', '1980-01-02', '•••'],
    ['none', 'Acme Ltd', 'Acme Ltd'],
  ] as const)('shows a %s as nobody can use it', (pii, value, shown) => {
    expect(masked(value, pii)).toBe(shown);
  });
});
