import { expect, it } from 'vitest';
import { parseAmount } from '../../../src/foundation/billing/index.ts';
import { monthOf, nextMonth, untilTomorrow } from '../../../src/foundation/billing/periods.ts';
import {
  amountMicros,
  billedUnits,
  costMicros,
  NO_TOTAL,
  type Price,
} from '../../../src/foundation/billing/prices.ts';
import { fc } from '../../property-tests.ts';

const hear: Price = { meter: 'hear', unit: 'second', micros: 1000n, per: 60n, freeUnits: 0n };
const amd: Price = { meter: 'amd', unit: 'call', micros: 4000n, per: 1n, freeUnits: 5000n };
const telephony: Price = {
  meter: 'telephony',
  unit: 'call_minute',
  micros: 10_000n,
  per: 1n,
  freeUnits: 0n,
};

it('rounds a period up once, to whole seconds', () => {
  expect(billedUnits('second', { ...NO_TOTAL, milliseconds: 0n })).toBe(0n);
  expect(billedUnits('second', { ...NO_TOTAL, milliseconds: 1n })).toBe(1n);
  expect(billedUnits('second', { ...NO_TOTAL, milliseconds: 1000n })).toBe(1n);
  expect(billedUnits('second', { ...NO_TOTAL, milliseconds: 1001n })).toBe(2n);
});

it('charges the list price of whole minutes exactly and never more than it for seconds', () => {
  expect(costMicros(hear, { ...NO_TOTAL, milliseconds: 60_000n })).toBe(1000n);
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 12n), (milliseconds) => {
      const seconds = (milliseconds + 999n) / 1000n;
      const amount = costMicros(hear, { ...NO_TOTAL, milliseconds });
      expect(amount * 60n).toBeLessThanOrEqual(seconds * 1000n);
      expect((amount + 1n) * 60n).toBeGreaterThan(seconds * 1000n);
    }),
  );
});

it('starts to charge answered calls after the free ones', () => {
  expect(amountMicros(amd, 5000n)).toBe(0n);
  expect(amountMicros(amd, 5001n)).toBe(4000n);
});

it('bills telephony by the minutes that each call rounded up to', () => {
  expect(costMicros(telephony, { milliseconds: 61_000n, callMinutes: 2n, calls: 0n })).toBe(20_000n);
});

it('reads amounts of money without a float', () => {
  expect(parseAmount('100')).toBe(100_000_000);
  expect(parseAmount('0.000001')).toBe(1);
  expect(parseAmount('0.1')).toBe(100_000);
  for (const bad of ['', '0', '-1', '1e3', '0.0000001', '1.', '.5', '1,5', ' 1', '1234567890']) {
    expect(parseAmount(bad), bad).toBeNull();
  }
});

it('knows UTC months and days', () => {
  expect(monthOf(Date.UTC(2026, 11, 31, 23, 59, 59, 999))).toBe('2026-12');
  expect(nextMonth('2026-12')).toBe('2027-01');
  expect(nextMonth('2026-01')).toBe('2026-02');
  expect(untilTomorrow(Date.UTC(2026, 1, 28, 23, 59, 59, 0))).toBe(1000);
  expect(untilTomorrow(Date.UTC(2026, 1, 28))).toBe(86_400_000);
});
