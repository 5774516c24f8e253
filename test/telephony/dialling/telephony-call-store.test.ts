// @requirement Billing: Telephone minutes are billed once, to the last audio.
// @requirement Recordings: A recording goes on after a transfer only where the number says so.
// @requirement Call quality: A record has loss, jitter, concealment and MOS, and one-way audio is reported live.
// @requirement Call quality: A record reports clipping.
// @requirement Telephony: A call whose RTP stops ends in 20 s and is billed to the last packet.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callIdOf } from '../../../src/conversation/calls/index.ts';
import { tenantScopeOfRow } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { NodeRegistry } from '../../../src/foundation/nodes/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import type { Clock } from '../../../src/foundation/platform/clock.ts';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import type { TelephonyNumberRow } from '../../../src/foundation/storage/tables/telephony.ts';
import type { MediaLeg, MediaStats } from '../../../src/telephony/carriers/index.ts';
import {
  CallCosts,
  CallMedia,
  DialLimiter,
  TelephonyCallStore,
} from '../../../src/telephony/dialling/index.ts';
import { LivePhoneCalls } from '../../../src/telephony/dialling/live-phone-calls.ts';
import type { PhoneCall } from '../../../src/telephony/dialling/phone-call.ts';
import { lostCallsOf, moveToLostNode } from '../../foundation/nodes/lost-node.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const PLACE = { org_id: 'org_1', project_id: 'proj_1', environment: 'live' as const };
const THEIRS = { ...PLACE, org_id: 'org_2' };
const NUMBER = { id: 'num_1', settings: '{}' } as TelephonyNumberRow;
const LIMITS = { countries: ['US', 'GB'], callsAMinute: 3, concurrent: 2, minutesADay: 5 };

let clock: ManualClock;
let storage: Storage;
let records: TelephonyCallStore;
let reported: string[];
beforeEach(async () => {
  clock = new ManualClock();
  storage = await openStorage({ dataDir: mkdtempSync(join(tmpdir(), 'phones-')), clock });
  reported = [];
  records = new TelephonyCallStore({
    storage,
    clock,
    billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
    webhooks: {
      publish: async (_trx, { type }) => {
        reported.push(type);
        return null;
      },
    },
  });
});
afterEach(() => storage.close());

const scope = tenantScopeOfRow(PLACE);
let made = 0;
async function call(place = PLACE, number: string | null = 'num_1') {
  const row = await storage.transaction((trx) =>
    records.create(trx, tenantScopeOfRow(place), {
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
  storage.transaction((trx) => records.claim(trx, tenantScopeOfRow(place), id));
const end = (id: string, talkedMs = 0) =>
  records.end(scope, id, {
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
    await records.answered(scope, id);
    await Promise.all([end(id, 61_000), end(id, 5_000)]);
    await end(id, 999_000);
    expect(await records.find(scope, id)).toMatchObject({
      state: 'ended',
      duration_ms: 61_000,
      billed_minutes: 2,
    });
    expect(await billed()).toEqual([['telephony', 61_000]]);
    expect(reported).toEqual(['telephony.call.answered', 'telephony.call.ended']);
  });

  it.each([
    ['nothing where nobody answered', 'completed', false, null, 0],
    ['nothing where it failed before anybody talked', 'failed', true, null, 0],
    ['nothing where a number is not in service', 'machine', true, { answered_by: 'dead_number' }, 0],
    ['what was talked before it failed', 'failed', true, { omni_call_id: 'ocl_1' }, 2],
  ] as const)('bills %s', async (_what, reason, answered, note, minutes) => {
    const id = await call();
    await claim(id);
    if (answered) await records.answered(scope, id);
    if (note) await records.note(scope, id, note);
    const talkedMs = 61_000;
    await records.end(scope, id, { ending: { reason, detail: null }, talkedMs, quality: {}, hold: null });
    expect(await records.find(scope, id)).toMatchObject({ duration_ms: talkedMs, billed_minutes: minutes });
    expect(await billed()).toEqual(minutes === 0 ? [] : [['telephony', talkedMs]]);
  });

  it('is not billed where nobody answered, and is another organization’s secret', async () => {
    const id = await call();
    await claim(id);
    await end(id);
    expect(await billed()).toEqual([]);
    expect(await records.find(tenantScopeOfRow(THEIRS), id)).toBeNull();
    expect(await records.list(tenantScopeOfRow(THEIRS), {}, {}, null)).toEqual([]);
  });

  it('says that nothing comes from the other side while the call lives, and no more once it is over', async () => {
    const id = await call();
    await claim(id);
    await records.answered(scope, id);
    await records.oneWay(scope, id, { one_way: true });
    expect(reported.at(-1)).toBe('telephony.call.one_way');
    expect((await records.find(scope, id))?.quality).toBe('{"one_way":true}');
    await end(id);
    await records.oneWay(scope, id, { one_way: true });
    expect(reported.at(-1)).toBe('telephony.call.ended');
  });

  // @requirement Telephony: A node that is killed in mid-call ends its calls with a code, and nothing is billed twice.
  it('says that a call was lost with its node, once that has no lease', async () => {
    const [lost, lives, planned] = [await call(), await call(), await call()];
    await claim(lost);
    await claim(lives);
    const node = new NodeRegistry({ storage, clock, background: new BackgroundTasks({ clock }) });
    await node.sweep();
    await moveToLostNode('telephony_calls', lost, storage, clock);
    const sweep = lostCallsOf(storage, clock, new LivePhoneCalls(clock, records));
    expect(await sweep.endLost()).toBe(1);
    expect(await records.find(scope, lost)).toMatchObject({ end_reason: 'failed', billed_minutes: 0 });
    expect((await records.find(scope, lost))?.end_detail).toContain(
      'the server that handled the call failed',
    );
    expect((await records.find(scope, lives))?.state).toBe('queued');
    expect((await records.find(scope, planned))?.state).toBe('queued');
    expect(await billed()).toEqual([]);
  });

  it('is taken back and billed by a node that was taken for lost and lives', async () => {
    const id = await call();
    await claim(id);
    await records.answered(scope, id);
    const node = new NodeRegistry({ storage, clock, background: new BackgroundTasks({ clock }) });
    const phones = new LivePhoneCalls(clock, records);
    phones.add({ id, callId: callIdOf(id) } as PhoneCall);
    node.add(lostCallsOf(storage, clock, phones));
    const other = new NodeRegistry({
      storage,
      clock,
      background: new BackgroundTasks({ clock }),
      id: 'node_other',
    });
    other.add(lostCallsOf(storage, clock, new LivePhoneCalls(clock, records)));
    await node.sweep();
    clock.advance(90_000);
    await other.sweep();
    expect(await records.find(scope, id)).toMatchObject({ state: 'ended', end_reason: 'failed' });
    await node.sweep();
    expect(await records.find(scope, id)).toMatchObject({
      state: 'answered',
      end_reason: null,
      end_detail: null,
      ended_at: null,
    });
    await other.sweep();
    await end(id, 61_000);
    expect(await records.find(scope, id)).toMatchObject({ state: 'ended', end_reason: 'completed' });
    expect(await billed()).toHaveLength(1);
  });

  it('is billed once though it ended before its node could take it back', async () => {
    const id = await call();
    await claim(id);
    await records.answered(scope, id);
    const node = new NodeRegistry({ storage, clock, background: new BackgroundTasks({ clock }) });
    await node.sweep();
    clock.advance(90_000);
    const other = new NodeRegistry({
      storage,
      clock,
      background: new BackgroundTasks({ clock }),
      id: 'node_other',
    });
    other.add(lostCallsOf(storage, clock, new LivePhoneCalls(clock, records)));
    await other.sweep();
    await end(id, 61_000);
    await end(id, 61_000);
    expect(await records.find(scope, id)).toMatchObject({ state: 'ended', end_reason: 'completed' });
    expect(await billed()).toHaveLength(1);
  });
});

// @requirement Telephony: Toll fraud is limited by country, rate, concurrency and spend.
describe('guards against toll fraud', () => {
  const costs = () =>
    new CallCosts(
      storage,
      createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }).costs,
    );
  const guards = (
    limits: typeof LIMITS | (Omit<typeof LIMITS, 'minutesADay'> & { minutesADay: null }) = LIMITS,
  ) => new DialLimiter(storage, clock, limits, costs());
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
    ['nobody', 'invalid_request'],
    ['sip:+14155550100@trunk.example.com;user=phone', null],
    ['sip:2001@pbx.example.com', null],
    ['sip:front-desk@pbx.example.com:5080;transport=tls', null],
    ['sips:pbx.example.com', null],
    ['sip:+882161234567@trunk.example.com', 'destination_not_allowed'],
    ['SIP:%2B882161234567@192.0.2.7', 'destination_not_allowed'],
    ['sip:+882-16-1234567;phone-context=+1:secret@trunk.example.com', 'destination_not_allowed'],
    ['sips:+(882)16.1234567@[2001:db8::7]', 'destination_not_allowed'],
    ['tel:+882161234567', 'destination_not_allowed'],
    ['sip:00882161234567@trunk.example.com', 'invalid_request'],
    ['sip:011882161234567@trunk.example.com', 'invalid_request'],
    ['sip:882161234567@trunk.example.com', 'invalid_request'],
    ['sip:*67882161234567@trunk.example.com', 'invalid_request'],
    ['sip:+14155550100x882161234567@trunk.example.com', 'invalid_request'],
    ['sip:%252B882161234567@trunk.example.com', 'invalid_request'],
    ['sip:%EF%BC%98@trunk.example.com', 'invalid_request'],
    ['sip:882161234567', 'invalid_request'],
    ['sip:2001@pbx.example.com?Replaces=1', 'invalid_request'],
    ['sip:2001@pbx.example.com>,<sip:+882161234567@trunk.example.com', 'invalid_request'],
  ])('know where %s is', (to, code) => {
    let thrown: string | null = null;
    try {
      guards().checkTarget(to);
    } catch (error) {
      thrown = (error as { code: string }).code;
    }
    expect(thrown).toBe(code);
  });

  it('count calls at once, and calls a minute, of the organization alone', async () => {
    expect(await refused(guards().check(scope, NUMBER))).toBeNull();
    const [one, two] = [await call(), await call()];
    await claim(one);
    await claim(two);
    expect(await refused(guards().check(scope, NUMBER))).toBe('concurrency_limit_exceeded');
    expect(await refused(guards().check(tenantScopeOfRow(THEIRS), NUMBER))).toBeNull();
    await end(one);
    await end(two);
    expect(await refused(guards().check(scope, NUMBER))).toBeNull();
    await claim(await call());
    expect(await refused(guards().check(scope, NUMBER))).toBe('rate_limit_exceeded');
    clock.advance(61_000);
    expect(await refused(guards().check(scope, NUMBER))).toBeNull();
  });

  it('hold the minutes of a day, and the money of a number', async () => {
    const id = await call();
    await claim(id);
    await records.answered(scope, id);
    await end(id, 5 * 60_000);
    clock.advance(61_000);
    expect(await refused(guards().check(scope, NUMBER))).toBe('daily_cap_exceeded');
    const more = guards({ ...LIMITS, minutesADay: null });
    expect(await refused(more.check(scope, NUMBER))).toBeNull();
    const spent = { ...NUMBER, settings: JSON.stringify({ daily_spend_micros: 50_000 }) };
    expect(await refused(more.check(scope, spent))).toBe('daily_cap_exceeded');
    const left = { ...NUMBER, settings: JSON.stringify({ daily_spend_micros: 60_000 }) };
    expect(await refused(more.check(scope, left))).toBeNull();
    const price = {
      meter: 'telephony' as const,
      from_month: '2000-02',
      micros: 20_000,
      per: 1,
      free_units: 0,
    };
    await storage.db
      .insertInto('prices')
      .values({ ...price, unit: 'call_minute' })
      .execute();
    expect(await refused(guards({ ...LIMITS, minutesADay: null }).check(scope, left))).toBe(
      'daily_cap_exceeded',
    );
    clock.advance(24 * 3600 * 1000);
    expect(await refused(guards().check(scope, spent))).toBeNull();
  });

  it('hold the money of a number for calls that were scheduled on the day before', async () => {
    const id = await call();
    clock.advance(24 * 3600 * 1000);
    await claim(id);
    await records.answered(scope, id);
    const spent = { ...NUMBER, settings: JSON.stringify({ daily_spend_micros: 50_000 }) };
    const more = guards({ ...LIMITS, concurrent: 10, callsAMinute: 10, minutesADay: null });
    clock.advance(5 * 60_000);
    expect(await refused(more.check(scope, spent))).toBe('daily_cap_exceeded');
    await end(id, 5 * 60_000);
    expect(await refused(more.check(scope, spent))).toBe('daily_cap_exceeded');
  });

  it('count a call that its carrier connects with somebody else as one that is dialed', async () => {
    const [one, two] = [await call(), await call()];
    await claim(one);
    await storage.transaction((trx) => records.transferring(trx, scope, one));
    expect(await refused(guards().check(scope, NUMBER))).toBe('concurrency_limit_exceeded');
    await end(one);
    await claim(two);
    expect(await refused(guards().check(scope, NUMBER))).toBe('rate_limit_exceeded');
  });

  it('count what the agent’s talk of a number’s call costs', async () => {
    const id = await call();
    await claim(id);
    await records.answered(scope, id);
    await records.note(scope, id, { omni_call_id: 'ocl_1' });
    await end(id, 30_000);
    const event = {
      ...{ id: 'use_ocl_1', use: 'omni.call' as const, milliseconds: 30_000, count: 0, resource: 'ocl_1' },
      ...{ orgId: PLACE.org_id, projectId: PLACE.project_id, keyId: null, environment: PLACE.environment },
      occurredAt: clock.now(),
    };
    await storage.transaction((trx) =>
      createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }).recordUsage(trx, event),
    );
    const row = (await records.find(scope, id))!;
    expect((await costs().of([row])).get(id)).toEqual({
      micros: 35_000,
      meters: { telephony: 10_000, omni: 25_000 },
    });
    const spends = (most: number) => ({ ...NUMBER, settings: JSON.stringify({ daily_spend_micros: most }) });
    expect(await refused(guards().check(scope, spends(44_999)))).toBe('daily_cap_exceeded');
    expect(await refused(guards().check(scope, spends(45_000)))).toBeNull();
  });

  it('count a call that is under way with the time that it has lasted', async () => {
    const since = clock.now();
    const id = await call();
    await claim(id);
    await records.answered(scope, id);
    await records.note(scope, id, { omni_call_id: 'ocl_1' });
    clock.advance(61_000);
    const spent = () => costs().ofNumber(scope, 'num_1', since, clock.now());
    // The sum has two minutes on the line, 61 s with the agent, and the first minute of the next call.
    expect(await spent()).toBe(20_000n + 50_833n + 10_000n);
    clock.advance(60_000);
    expect(await spent()).toBe(30_000n + 100_833n + 10_000n);
  });
});

// @requirement Telephony: A clock that is set forward or back changes no bill.
describe('a clock that is set while people talk', () => {
  it.each([
    ['an hour ahead', 3_600_000],
    ['an hour back', -3_600_000],
  ])('%s: the call goes on, and lasts as long as it lasted', async (_, step) => {
    let offset = 0;
    const wallClock: Clock = {
      now: () => clock.now() + offset,
      monotonic: () => clock.monotonic(),
      after: (ms, task) => clock.after(ms, task),
    };
    const webhooks = { publish: async () => null };
    const stepped = new TelephonyCallStore({
      storage,
      clock: wallClock,
      billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
      webhooks,
    });
    const phones = new LivePhoneCalls(wallClock, stepped);
    const node = new NodeRegistry({
      storage,
      clock: wallClock,
      background: new BackgroundTasks({ clock: wallClock }),
    });
    node.add(lostCallsOf(storage, wallClock, phones));
    await node.sweep();
    const id = await call();
    await claim(id);
    await stepped.answered(scope, id);
    phones.add({ id, callId: callIdOf(id) } as PhoneCall);
    let frames = 1;
    const direction = { frames: 0, lost: 0, late: 0, concealed: null, jitterMs: 0, clipped: null };
    const leg = {
      bind: () => undefined,
      stats: (): MediaStats => ({ received: { ...direction, frames: frames++ }, sent: direction, mos: null }),
    } as unknown as MediaLeg;
    const media = new CallMedia(leg, wallClock);
    clock.advance(10_000);
    offset = step;
    await node.sweep();
    clock.advance(10_000);
    await node.sweep();
    expect((await records.find(scope, id))?.state).toBe('answered');
    expect([media.silentMs, media.talkedMs]).toEqual([0, 20_000]);
    await stepped.end(scope, id, {
      ending: { reason: 'completed', detail: null },
      talkedMs: media.talkedMs,
      quality: {},
      hold: null,
    });
    expect(await billed()).toEqual([['telephony', 20_000]]);
  });
});
