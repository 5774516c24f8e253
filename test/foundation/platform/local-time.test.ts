import { expect, it, onTestFinished, vi } from 'vitest';
import { localTime } from '../../../src/foundation/platform/local-time.ts';

const MONDAY_NOON = Date.parse('2026-03-09T12:00:00Z');

it.each([
  ['UTC', { day: 1, time: '12:00' }],
  ['Asia/Kolkata', { day: 1, time: '17:30' }],
  ['Pacific/Kiritimati', { day: 2, time: '02:00' }],
  ['America/Los_Angeles', { day: 1, time: '05:00' }],
])('knows the day and the time in %s', (zone, expected) => {
  expect(localTime(MONDAY_NOON, zone)).toEqual(expected);
});

it('follows daylight saving time, with one format for a zone', () => {
  let made = 0;
  class Counted extends Intl.DateTimeFormat {
    constructor(...options: ConstructorParameters<typeof Intl.DateTimeFormat>) {
      super(...options);
      made += 1;
    }
  }
  vi.stubGlobal('Intl', Object.create(Intl, { DateTimeFormat: { value: Counted } }));
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(localTime(Date.parse('2026-03-29T00:59:00Z'), 'Europe/Vaduz')).toEqual({ day: 7, time: '01:59' });
  expect(localTime(Date.parse('2026-03-29T01:00:00Z'), 'Europe/Vaduz')).toEqual({ day: 7, time: '03:00' });
  expect(made).toBe(1);
});

it('refuses a zone that does not exist', () => {
  expect(() => localTime(MONDAY_NOON, 'Moon/Base')).toThrow(RangeError);
});
