// @requirement Campaigns: A campaign takes 100,000 rows, calling windows, pacing, retries and pause.
import { beforeAll, describe, expect, it } from 'vitest';
import { isOpen, isZone, readTargets } from '../../../src/telephony/dialling/index.ts';
import { compileProgram } from '../../running-server.ts';

const at = (iso: string) => Date.parse(iso);
const DAY = { from: '09:00', to: '20:00' };

describe('windows of a campaign', () => {
  it.each([
    ['in the hours of the place', DAY, ['Europe/Madrid'], '2026-03-10T08:30:00Z', true],
    ['before them', DAY, ['America/New_York'], '2026-03-10T08:30:00Z', false],
    ['in one of two places only', DAY, ['America/New_York', 'Europe/Madrid'], '2026-03-10T12:30:00Z', false],
    ['in both', DAY, ['America/New_York', 'Europe/Madrid'], '2026-03-10T14:30:00Z', true],
    ['on another day', { ...DAY, days: [1, 3] }, ['UTC'], '2026-03-10T12:00:00Z', false],
    ['on the day', { ...DAY, days: [2] }, ['UTC'], '2026-03-10T12:00:00Z', true],
    ['over midnight', { from: '22:00', to: '02:00' }, ['UTC'], '2026-03-10T01:00:00Z', true],
    [
      'after the midnight of its day',
      { from: '22:00', to: '02:00', days: [1] },
      ['UTC'],
      '2026-03-10T01:00:00Z',
      true,
    ],
    [
      'before the evening of its day',
      { from: '22:00', to: '02:00', days: [2] },
      ['UTC'],
      '2026-03-10T01:00:00Z',
      false,
    ],
    ['after a Sunday', { from: '22:00', to: '02:00', days: [7] }, ['UTC'], '2026-03-09T01:00:00Z', true],
    ['at the end, which is out', DAY, ['UTC'], '2026-03-10T20:00:00Z', false],
    ['nobody knows where', DAY, null, '2026-03-10T12:00:00Z', false],
    [
      'nobody knows where, and a zone stands for it',
      { ...DAY, time_zone: 'UTC' },
      null,
      '2026-03-10T12:00:00Z',
      true,
    ],
  ])('%s', (_what, windows, zones, moment, open) => {
    expect(isOpen(windows, zones, at(moment))).toBe(open);
  });

  it('know zones', () => {
    expect([isZone('Europe/Madrid'), isZone('Moon/Base')]).toEqual([true, false]);
  });
});

describe('targets from a CSV', () => {
  beforeAll(compileProgram, 120_000);
  const read = async (text: string) => {
    const { count, batches } = await readTargets(Buffer.from(text), 'org');
    const targets = [...batches].flat();
    expect(targets).toHaveLength(count);
    return targets;
  };

  it('takes the number, and every other column as a variable', async () => {
    expect(
      await read('\ufeffname,Phone_Number,note\n"Doe, Jane",+1 (415) 555-0100,\nBob,+442079460000,later\n'),
    ).toEqual([
      { to: '+14155550100', variables: { name: 'Doe, Jane' } },
      { to: '+442079460000', variables: { name: 'Bob', note: 'later' } },
    ]);
  });

  it.each([
    ['name\nBob\n', 'Line 1: no column'],
    ['to\nBob\n', "Line 2: 'Bob'"],
    ['to,bad name!\n+14155550100,x\n', "Line 1: 'bad name!'"],
    [`to,name\n+14155550100,${'x'.repeat(501)}\n`, 'Line 2: name has more than 500'],
    ['to\n"+1415555', 'not a valid CSV'],
    [`to\n${'+14155550100\n'.repeat(100_001)}`, 'at most 100000 targets are allowed'],
    [`to\n"${'x'.repeat(200_000)}`, 'not a valid CSV'],
    [`to,${'a,'.repeat(100)}b\n`, 'Line 1: at most 100 columns are allowed'],
  ])('refuses %#', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('reads a hundred thousand, while others are served', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    expect(await read(`to\n${'+14155550100\n'.repeat(100_000)}`)).toHaveLength(100_000);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  }, 20_000);
});
