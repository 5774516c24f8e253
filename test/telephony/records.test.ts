/** Records, guards and lines of calls: by the clock of the test, on a database of its own. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Value from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reachOfRow } from '../../src/access/index.ts';
import { createBilling } from '../../src/billing/index.ts';
import type { MediaLeg, MediaStats } from '../../src/carriers/index.ts';
import { StreamLeg } from '../../src/carriers/streams/index.ts';
import { TelephonyCallRecord } from '../../src/events/data/telephony.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { openStorage, type Storage } from '../../src/storage/index.ts';
import type { TelephonyNumberRow } from '../../src/storage/tables/telephony.ts';
import { CallRecords, Guards, Line } from '../../src/telephony/index.ts';
import { LineWatch } from '../../src/telephony/line-watch.ts';
import { LivePhones } from '../../src/telephony/live-phones.ts';
import type { PhoneCall } from '../../src/telephony/phone-call.ts';
import { ManualClock } from '../platform/manual-clock.ts';

const PLACE = { org_id: 'org_1', project_id: 'proj_1', environment: 'live' as const };
const THEIRS = { ...PLACE, org_id: 'org_2' };
const NUMBER = { id: 'num_1', settings: '{}' } as TelephonyNumberRow;
const LIMITS = { countries: ['US', 'GB'], callsAMinute: 3, concurrent: 2, minutesADay: 5 };

let clock: ManualClock;
let storage: Storage;
let records: CallRecords;
let told: string[];
beforeEach(async () => {
  clock = new ManualClock();
  storage = await openStorage({ dataDir: mkdtempSync(join(tmpdir(), 'phones-')), clock });
  told = [];
  records = new CallRecords({
    storage,
    clock,
    billing: createBilling({ storage, clock }),
    webhooks: {
      publish: async (_trx, { type }) => {
        told.push(type);
        return null;
      },
    },
  });
});
afterEach(() => storage.close());

const reach = reachOfRow(PLACE);
let made = 0;
async function call(place = PLACE, number: string | null = 'num_1') {
  const row = await storage.transaction((trx) =>
    records.create(trx, reachOfRow(place), {
      id: `tcl_${String(++made).padStart(20, '0')}`,
      key_id: 'key_1',
      carrier: 'loopback',
      direction: 'outbound',
      from_number: '+14155550100',
      to_number: '+15005550001',
      number_id: number,
      agent_id: null,
      campaign_id: null,
      state: 'queued',
      request: '{}',
      scheduled_at: null,
    }),
  );
  return row.id;
}
const claim = (id: string, place = PLACE) =>
  storage.transaction((trx) => records.claim(trx, reachOfRow(place), id));
const end = (id: string, talkedMs = 0) =>
  records.end(reach, id, {
    ending: { reason: 'completed', detail: null },
    talkedMs,
    quality: {},
    hold: null,
  });
const billed = async () =>
  (await storage.db.selectFrom('usage_events').select(['meter', 'milliseconds']).execute()).map((row) => [
    row.meter,
    Number(row.milliseconds),
  ]);

describe('the record of a call', () => {
  it('is claimed once, however many dial it', async () => {
    const id = await call();
    const claims = await Promise.all([claim(id), claim(id), claim(id)]);
    expect(claims.filter((row) => row !== null)).toHaveLength(1);
    expect(await claim(await call(), THEIRS)).toBeNull();
  });

  it('ends once and is billed once, by the minute begun', async () => {
    const id = await call();
    await claim(id);
    await records.answered(reach, id);
    await Promise.all([end(id, 61_000), end(id, 5_000)]);
    await end(id, 999_000);
    expect(await records.find(reach, id)).toMatchObject({
      state: 'ended',
      duration_ms: 61_000,
      billed_minutes: 2,
    });
    expect(await billed()).toEqual([['telephony', 61_000]]);
    expect(told).toEqual(['telephony.call.answered', 'telephony.call.ended']);
  });

  it('is not billed where nobody answered, and is another organization’s secret', async () => {
    const id = await call();
    await claim(id);
    await end(id);
    expect(await billed()).toEqual([]);
    expect(await records.find(reachOfRow(THEIRS), id)).toBeNull();
    expect(await records.list(reachOfRow(THEIRS), {}, {}, null)).toEqual([]);
  });

  it('says that nothing comes from the other side while the call lives, and no more once it is over', async () => {
    const id = await call();
    await claim(id);
    await records.answered(reach, id);
    await records.oneWay(reach, id, { one_way: true });
    expect(told.at(-1)).toBe('telephony.call.one_way');
    expect((await records.find(reach, id))?.quality).toBe('{"one_way":true}');
    await end(id);
    await records.oneWay(reach, id, { one_way: true });
    expect(told.at(-1)).toBe('telephony.call.ended');
  });

  it('says that a call was lost with its node, once nobody has spoken of it for a minute', async () => {
    const [lost, lives, planned] = [await call(), await call(), await call()];
    await claim(lost);
    await claim(lives);
    clock.advance(50_000);
    await records.seen([lives]);
    clock.advance(20_000);
    expect(await records.endLost()).toBe(1);
    expect(await records.find(reach, lost)).toMatchObject({ end_reason: 'failed', billed_minutes: 0 });
    expect((await records.find(reach, lost))?.end_detail).toContain('lost');
    expect((await records.find(reach, lives))?.state).toBe('queued');
    expect((await records.find(reach, planned))?.state).toBe('queued');
    expect(await billed()).toEqual([]);
  });
});

describe('guards against toll fraud', () => {
  const guards = () => new Guards(storage, clock, LIMITS);
  const refused = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: { code: string }) => error.code,
    );

  it.each([
    ['+14155550100', null],
    ['+15005550001', null],
    ['+442079460000', null],
    ['+79161234567', 'destination_not_allowed'],
    ['+18765551234', 'destination_not_allowed'],
    ['nobody', 'destination_not_allowed'],
  ])('know where %s is', (to, code) => {
    let thrown: string | null = null;
    try {
      guards().checkCountry(to);
    } catch (error) {
      thrown = (error as { code: string }).code;
    }
    expect(thrown).toBe(code);
  });

  it('count calls at once, and calls a minute, of the organization alone', async () => {
    expect(await refused(guards().check(reach, NUMBER))).toBeNull();
    const [one, two] = [await call(), await call()];
    await claim(one);
    await claim(two);
    expect(await refused(guards().check(reach, NUMBER))).toBe('concurrency_limit_exceeded');
    expect(await refused(guards().check(reachOfRow(THEIRS), NUMBER))).toBeNull();
    await end(one);
    await end(two);
    expect(await refused(guards().check(reach, NUMBER))).toBeNull();
    await claim(await call());
    expect(await refused(guards().check(reach, NUMBER))).toBe('rate_limit_exceeded');
    clock.advance(61_000);
    expect(await refused(guards().check(reach, NUMBER))).toBeNull();
  });

  it('hold the minutes of a day, and the money of a number', async () => {
    const id = await call();
    await claim(id);
    await end(id, 5 * 60_000);
    clock.advance(61_000);
    expect(await refused(guards().check(reach, NUMBER))).toBe('daily_cap_exceeded');
    const more = new Guards(storage, clock, { ...LIMITS, minutesADay: null });
    expect(await refused(more.check(reach, NUMBER))).toBeNull();
    const spent = { ...NUMBER, settings: JSON.stringify({ daily_spend_micros: 50_000 }) };
    expect(await refused(more.check(reach, spent))).toBe('daily_cap_exceeded');
    const left = { ...NUMBER, settings: JSON.stringify({ daily_spend_micros: 60_000 }) };
    expect(await refused(more.check(reach, left))).toBeNull();
    clock.advance(24 * 3600 * 1000);
    expect(await refused(guards().check(reach, spent))).toBeNull();
  });
});

describe('an answered line', () => {
  it('is told of once when nothing has come for five seconds, and dead after twenty', () => {
    const direction = { frames: 0, lost: 0, late: 0, concealed: null, jitterMs: 0, clipped: null };
    const leg = {
      bind: () => undefined,
      clear: () => undefined,
      stats: (): MediaStats => ({ received: direction, sent: direction, mos: null }),
    } as unknown as MediaLeg;
    const line = new Line(leg, clock);
    const heard: string[] = [];
    const watch = new LineWatch({
      clock,
      line,
      admission: { recheck: async () => 1000 },
      maxDurationMs: 3_600_000,
      end: ({ detail }) => heard.push(String(detail)),
      oneWay: () => heard.push('one way'),
      failed: () => heard.push('failed'),
    });
    clock.advance(5_000);
    expect(heard).toEqual([]);
    clock.advance(13_000);
    expect(heard).toEqual(['one way']);
    clock.advance(2_000);
    watch.stop();
    expect(heard).toEqual(['one way', 'no sound came for 20 s']);
  });

  it('is not dead while the other side holds it, and counts anew when it comes back', () => {
    const direction = { frames: 7, lost: 0, late: 0, concealed: null, jitterMs: 0, clipped: null };
    const leg = {
      bind: () => undefined,
      stats: (): MediaStats => ({ received: direction, sent: direction, mos: null }),
    } as unknown as MediaLeg;
    const line = new Line(leg, clock);
    line.held(true);
    clock.advance(60_000);
    expect([line.silentMs, line.talkedMs]).toEqual([0, 60_000]);
    line.held(false);
    clock.advance(20_000);
    expect(line.silentMs).toBe(20_000);
  });

  it('counts to its last sound, and knows a line on which nothing ever came', () => {
    let frames = 0;
    const direction = { frames: 0, lost: 0, late: 0, concealed: null, jitterMs: 0, clipped: null };
    const leg = {
      bind: () => undefined,
      clear: () => undefined,
      stats: (): MediaStats => ({ received: { ...direction, frames }, sent: direction, mos: null }),
    } as unknown as MediaLeg;
    const line = new Line(leg, clock);
    frames = 50;
    clock.advance(1_000);
    expect(line.silentMs).toBe(0);
    clock.advance(9_000);
    expect([line.silentMs, line.talkedMs]).toEqual([9_000, 1_000]);
    expect(line.quality().one_way).toBe(false);
    frames = 0;
    const deaf = new Line(leg, clock);
    clock.advance(6_000);
    expect(deaf.quality().one_way).toBe(true);
  });
});

describe('the sound of a line', () => {
  it('is told with what is clipped of it, to the sample, where the carrier streams it', () => {
    const leg = new StreamLeg({ send: () => undefined, close: () => undefined }, 'MZ1', clock);
    const line = new Line(leg, clock);
    expect(line.quality().received?.clipped).toBeNull();
    const half = Uint8Array.from({ length: 160 }, (_, at) => [0x00, 0x80, 0x01, 0xff][at % 4] as number);
    leg.take(1, Buffer.from(half).toString('base64'));
    leg.take(2, Buffer.alloc(160, 0x81).toString('base64'));
    leg.send(new Uint8Array(160).fill(0x80));
    const { received, sent, echo } = line.quality();
    expect([received?.clipped, sent?.clipped, echo]).toEqual([0.25, 1, null]);
  });

  it('is told with what comes back of ours, where the engine hears both ways', () => {
    const way = { frames: 9, lost: 0, late: 0, concealed: 0, jitterMs: 0, clipped: 1 / 3 };
    const echo = { delayMs: 180.125, db: -21.26 };
    const leg = {
      bind: () => undefined,
      stats: (): MediaStats => ({ received: way, sent: way, mos: 4, echo }),
    } as unknown as MediaLeg;
    const quality = new Line(leg, clock).quality();
    expect(quality.echo).toEqual({ delay_ms: 180, level_db: -21.3 });
    expect(quality.received?.clipped).toBe(0.333333);
    expect(Value.Check(TelephonyCallRecord.properties.quality, quality)).toBe(true);
  });
});

describe('a clock that is set while people talk', () => {
  it.each([
    ['an hour ahead', 3_600_000],
    ['an hour back', -3_600_000],
  ])('%s: the call goes on, and lasts as long as it lasted', async (_, step) => {
    let offset = 0;
    const wall: Clock = {
      now: () => clock.now() + offset,
      monotonic: () => clock.monotonic(),
      after: (ms, task) => clock.after(ms, task),
    };
    const webhooks = { publish: async () => null };
    const stepped = new CallRecords({
      storage,
      clock: wall,
      billing: createBilling({ storage, clock }),
      webhooks,
    });
    const phones = new LivePhones(wall, stepped, (error) => expect(error).toBeNull());
    const id = await call();
    await claim(id);
    await stepped.answered(reach, id);
    phones.add({ id } as PhoneCall);
    let frames = 1;
    const direction = { frames: 0, lost: 0, late: 0, concealed: null, jitterMs: 0, clipped: null };
    const leg = {
      bind: () => undefined,
      stats: (): MediaStats => ({ received: { ...direction, frames: frames++ }, sent: direction, mos: null }),
    } as unknown as MediaLeg;
    const line = new Line(leg, wall);
    clock.advance(10_000);
    offset = step;
    await phones.sweep();
    clock.advance(10_000);
    await phones.sweep();
    expect((await records.find(reach, id))?.state).toBe('answered');
    expect([line.silentMs, line.talkedMs]).toEqual([0, 20_000]);
    await stepped.end(reach, id, {
      ending: { reason: 'completed', detail: null },
      talkedMs: line.talkedMs,
      quality: {},
      hold: null,
    });
    expect(await billed()).toEqual([['telephony', 20_000]]);
  });
});
