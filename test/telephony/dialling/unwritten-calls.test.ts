// @requirement Telephony: A call whose answer or end meets a database that is away is ended and billed once it is back.
import { expect, it } from 'vitest';
import type { Principal } from '../../../src/foundation/access/contract.ts';
import { tenantScopeOfRow } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { ApiError } from '../../../src/foundation/platform/errors.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import type { IncomingCall, MediaLeg, MediaStats } from '../../../src/telephony/carriers/index.ts';
import { CallDispatcher, LegEnded, TelephonyCallStore } from '../../../src/telephony/dialling/index.ts';
import { LivePhoneCalls } from '../../../src/telephony/dialling/live-phone-calls.ts';
import { readSettings } from '../../../src/telephony/dialling/number-settings.ts';
import { PhoneCall } from '../../../src/telephony/dialling/phone-call.ts';
import { lostCallsOf, moveToLostNode } from '../../foundation/nodes/lost-node.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const PLACE = { org_id: 'org_1', project_id: 'proj_1', environment: 'live' as const };
const scope = tenantScopeOfRow(PLACE);
const principal = { orgId: 'org_1', projectId: 'proj_1', environment: 'live' } as Principal;
const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const WAY = { frames: 0, lost: 0, late: 0, concealed: null, jitterMs: 0, clipped: null };
const settle = () => new Promise(setImmediate);

onBothDatabases('a call during an outage of the database', (databases) => {
  async function open() {
    const storage = await databases.open();
    const clock = new ManualClock();
    const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
    const reported: string[] = [];
    const records = new TelephonyCallStore({
      storage,
      clock,
      billing,
      webhooks: {
        publish: async (_trx, { type }) => {
          reported.push(type);
          return null;
        },
      },
      events: {
        publish: async (_trx, event) => {
          if ((event as unknown) === LegEnded) reported.push('the leg ended');
        },
      },
    });
    const phones = new LivePhoneCalls(clock, records);
    const { transaction } = storage;
    const goAway = () => {
      storage.transaction = async () => {
        throw AWAY;
      };
    };
    const comeBack = () => {
      storage.transaction = transaction;
    };
    const row = await storage.transaction((trx) =>
      records.create(trx, scope, {
        id: 'tcl_00000000000000000001',
        key_id: 'key_1',
        carrier: 'loopback',
        direction: 'outbound',
        from_number: '+14155550100',
        to_number: '+15005550001',
        number_id: 'num_1',
        agent_id: null,
        campaign_id: null,
        state: 'queued',
        request: '{}',
        scheduled_at: null,
      }),
    );
    const settling: Promise<unknown>[] = [];
    const admission = {
      reservationId: null,
      recheck: async () => Number.POSITIVE_INFINITY,
      release: async () => undefined,
      settling: (work: Promise<unknown>) => void settling.push(work),
      handOver: () => undefined,
    };
    const log = createLog({ level: 'silent' });
    let frames = 0;
    const media = {
      bind: () => undefined,
      clear: () => undefined,
      stats: (): MediaStats => ({ received: { ...WAY, frames: frames++ }, sent: WAY, mos: null }),
    } as unknown as MediaLeg;
    const dialed = async () => {
      await storage.transaction((trx) => records.claim(trx, scope, row.id));
      const over = (one: PhoneCall) => phones.remove(one);
      const plan = { answered: () => undefined, ended: () => undefined };
      const call = new PhoneCall(
        { clock, log, records, over },
        {
          ...{ id: row.id, callId: row.call_id as string, principal, admission, plan },
          ...{ maxDurationMs: 3_600_000, recordsOn: false },
        },
      );
      phones.add(call);
      call.follow(Promise.resolve({ reference: 'CA1' } as never));
      await settle();
      await call.scribe.written;
      return call;
    };
    const hungUp = { kind: 'ended', end: { reason: 'completed', by: 'them' } } as const;
    const billed = async () =>
      (await storage.db.selectFrom('usage_events').select('milliseconds').execute()).map((event) =>
        Number(event.milliseconds),
      );
    const found = () => records.find(scope, row.id);
    const refusing = { storage, clock, log, records, phones, admission };
    return { ...refusing, row, reported, goAway, comeBack, dialed, media, hungUp, billed, found, settling };
  }

  it('is ended and billed, with its own times, when the database is back', async () => {
    const { clock, phones, reported, goAway, comeBack, dialed, media, hungUp, billed, found, settling } =
      await open();
    const call = await dialed();
    call.state({ kind: 'answered', media });
    await call.scribe.written;
    clock.advance(61_000);
    goAway();
    call.state(hungUp);
    const endedAt = clock.now();
    await settle();
    clock.advance(10_000);
    await settle();
    expect([(await found())?.state, phones.size]).toEqual(['answered', 1]);
    comeBack();
    clock.advance(2_000);
    await Promise.all(settling);
    expect(await found()).toMatchObject({
      state: 'ended',
      end_reason: 'completed',
      duration_ms: 61_000,
      billed_minutes: 2,
    });
    expect(Number((await found())?.ended_at)).toBe(endedAt);
    expect(await billed()).toEqual([61_000]);
    expect(reported).toEqual(['telephony.call.answered', 'telephony.call.ended', 'the leg ended']);
    expect(phones.size).toBe(0);
  });

  it('is billed although its answer met the outage', async () => {
    const { clock, reported, goAway, comeBack, dialed, media, hungUp, billed, found } = await open();
    const call = await dialed();
    goAway();
    call.state({ kind: 'answered', media });
    const answeredAt = clock.now();
    await settle();
    clock.advance(1_000);
    comeBack();
    clock.advance(1_000);
    await call.scribe.written;
    expect(reported).toEqual(['telephony.call.answered']);
    clock.advance(28_000);
    call.state(hungUp);
    await call.scribe.written;
    expect(await found()).toMatchObject({ state: 'ended', billed_minutes: 1 });
    expect(Number((await found())?.answered_at)).toBe(answeredAt);
    expect(await billed()).toEqual([30_000]);
  });

  it('is billed although another node took it for lost before its answer was written', async () => {
    const { storage, clock, records, row, goAway, comeBack, dialed, media, hungUp, billed, found } =
      await open();
    const call = await dialed();
    const other = lostCallsOf(storage, clock, new LivePhoneCalls(clock, records));
    goAway();
    call.state({ kind: 'answered', media });
    const answeredAt = clock.now();
    await settle();
    clock.standStill(90_000);
    comeBack();
    await moveToLostNode('telephony_calls', row.id, storage, clock);
    await other.endLost();
    expect(await found()).toMatchObject({ state: 'ended', end_reason: 'failed' });
    clock.advance(0);
    call.state(hungUp);
    await call.scribe.written;
    expect(await found()).toMatchObject({ state: 'ended', end_reason: 'completed', billed_minutes: 2 });
    expect(Number((await found())?.answered_at)).toBe(answeredAt);
    expect(await billed()).toEqual([90_000]);
  });

  it('is written while its server stops', async () => {
    const { clock, phones, goAway, comeBack, dialed, hungUp, found } = await open();
    const call = await dialed();
    goAway();
    call.state(hungUp);
    await settle();
    let isStopped = false;
    const stopped = phones.stop(0).then(() => {
      isStopped = true;
    });
    clock.advance(2_000);
    await settle();
    expect(isStopped).toBe(false);
    comeBack();
    clock.advance(2_000);
    await stopped;
    expect(await found()).toMatchObject({ state: 'ended' });
  });

  it('is ended where it could not even be dialed or answered', async () => {
    const { storage, clock, log, records, phones, row, goAway, comeBack, found } = await open();
    let take: (incoming: IncomingCall) => unknown = () => undefined;
    const faults: Error[] = [new ApiError('credit_exhausted', 'nothing is left'), AWAY];
    const dispatcher = new CallDispatcher({
      ...{ storage, clock, log, records, phones },
      queue: { define: () => undefined },
      carrier: {
        name: 'loopback',
        incoming: (taker: typeof take) => {
          take = taker;
        },
      },
      guards: { checkTarget: () => undefined },
      access: {
        admit: async () => {
          goAway();
          throw faults.shift();
        },
      },
      numbers: {
        called: async () => ({ ...PLACE, id: 'num_1', agent_id: 'agt_1', settings: '{}' }),
      },
      standings: { of: async () => ({ ...principal, entitlements: ['telephony'] }) },
    } as unknown as ConstructorParameters<typeof CallDispatcher>[0]);
    await storage.transaction((trx) => records.claim(trx, scope, row.id));
    const endings: unknown[] = [];
    const plan = { answered: () => undefined, ended: (ending: unknown) => void endings.push(ending) };
    const dialed = dispatcher.dial({ principal, row, plan, settings: readSettings('{}') });
    await settle();
    expect(endings).toEqual([{ reason: 'failed', detail: 'credit_exhausted' }]);
    comeBack();
    clock.advance(2_000);
    expect(await dialed).toBeNull();
    expect(await found()).toMatchObject({ state: 'ended', end_detail: 'credit_exhausted' });

    const rejected = new Promise((resolve) => {
      const incoming = {
        from: '+15005550001',
        to: '+14155550100',
        reject: async (why: string) => resolve(why),
      };
      take(incoming as unknown as IncomingCall);
    });
    expect(await rejected).toBe('busy');
    await settle();
    comeBack();
    clock.advance(2_000);
    await expect
      .poll(async () => (await records.list(scope, {}, { direction: 'inbound' }, null))[0])
      .toMatchObject({ state: 'ended', end_reason: 'failed', end_detail: 'unavailable' });
  });
});
