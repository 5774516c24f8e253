// @requirement Local models: Admission control refuses a call that would slow the answers of the others below their rate.
// @requirement Billing: Credit is reserved in the admission's transaction and settled after the work.
// @requirement Limits: Concurrent realtime sessions of a key are capped by its plan.
import { afterEach, expect, it } from 'vitest';
import type { Admission, Meter, Principal } from '../../../src/foundation/access/contract.ts';
import { usageEvent } from '../billing/organization.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { bearer, NOON, openService, type TestService } from './access-service.ts';

const REALTIME = { realtime: true };
const REQUEST = { realtime: false };

onBothDatabases('admission', (databases) => {
  const services: TestService[] = [];
  afterEach(() => {
    for (const service of services.splice(0)) service.access.close();
  });

  async function open() {
    const service = await openService(await databases.open());
    services.push(service);
    return {
      ...service,
      async principal(more: Parameters<TestService['makeKey']>[0] = {}): Promise<Principal> {
        const key = await service.makeKey(more);
        return (await service.access.authorize(bearer(key.text), { kind: 'key' })).principal as Principal;
      },
      async use(principal: Principal, meter: Meter, milliseconds: number, count = 0) {
        const { keyId, environment } = principal;
        await service.storage.transaction((transaction) =>
          service.billing.recordUsage(
            transaction,
            usageEvent(service.organization, meter, milliseconds, service.clock.now(), {
              keyId,
              environment,
              count,
            }),
          ),
        );
      },
      passes: async (attempt: Promise<Admission>): Promise<boolean> => {
        await (await attempt).release();
        return true;
      },
      refusal: (attempt: Promise<unknown>) =>
        attempt.then(
          () => null,
          (error) => error,
        ),
      credit: (amountMicros: number) =>
        service.billing.addCredit({ orgId: service.organization.orgId, amountMicros }),
      plan: (change: object) =>
        service.storage.db
          .updateTable('plans')
          .set(change)
          .where('id', 'in', ['standard', 'sandbox'])
          .execute(),
    };
  }

  it('needs prepaid credit of a live key and none of a sandbox key', async () => {
    const { access, principal, passes, refusal, credit, use } = await open();
    const live = await principal();
    const sandbox = await principal({ environment: 'sandbox' });
    expect(await refusal(access.admit(live, 'hear.stream', REQUEST))).toMatchObject({
      code: 'credit_exhausted',
      status: 402,
    });
    expect(await refusal(access.admit(sandbox, 'hear.stream', REQUEST))).toBeNull();
    await credit(1000);
    expect(await passes(access.admit(live, 'hear.stream', REQUEST))).toBe(true);
    await use(live, 'hear', 59_000);
    expect(await passes(access.admit(live, 'hear.stream', REQUEST))).toBe(true);
    await use(live, 'hear', 1_000);
    expect(await refusal(access.admit(live, 'hear.stream', REQUEST))).toMatchObject({
      code: 'credit_exhausted',
    });
  });

  it('needs the organization’s credit for what a signed-in user starts', async () => {
    const { access, principal, refusal, credit } = await open();
    const key = await principal();
    const user = { ...key, kind: 'user', keyId: null, userId: 'usr_a' } as const;
    expect(await refusal(access.admit(user, 'agents.call', REALTIME))).toMatchObject({
      code: 'credit_exhausted',
    });
    await credit(1_334);
    expect(await refusal(access.admit(user, 'agents.call', REALTIME))).toBeNull();
  });

  it('lets the free answered calls of a month pass without credit', async () => {
    const { access, principal, refusal, use } = await open();
    const live = await principal();
    await use(live, 'amd', 0, 4999);
    expect(await refusal(access.admit(live, 'amd.detection', REALTIME))).toBeNull();
    await use(live, 'amd', 0, 1);
    expect(await refusal(access.admit(live, 'amd.detection', REALTIME))).toMatchObject({
      code: 'credit_exhausted',
    });
  });

  it('stops a sandbox at its daily cap until 00:00 UTC, all keys of the organization together', async () => {
    const { access, clock, principal, refusal, use } = await open();
    const one = await principal({ environment: 'sandbox' });
    const other = await principal({ environment: 'sandbox' });
    await use(one, 'speak', 3_599_999);
    expect(await refusal(access.admit(other, 'hear.stream', REQUEST))).toBeNull();
    await use(one, 'speak', 1);
    clock.advance(6 * 3_600_000);
    expect(await refusal(access.admit(other, 'hear.stream', REQUEST))).toMatchObject({
      code: 'daily_cap_exceeded',
      status: 429,
      retryAfter: 6 * 3600,
    });
    clock.advance(NOON + 12 * 3_600_000 - clock.now());
    expect(await refusal(access.admit(other, 'hear.stream', REQUEST))).toBeNull();
  });

  it('holds a key to its own monthly budget and a plan to its quota', async () => {
    const { access, principal, refusal, credit, use, plan } = await open();
    await credit(1_000_000);
    const tight = await principal({ budgetMicros: 40_000 });
    const free = await principal();
    await use(tight, 'speak', 60_000);
    expect(await refusal(access.admit(tight, 'speak.speech', REQUEST))).toMatchObject({
      code: 'key_budget_exceeded',
      status: 402,
    });
    expect(await refusal(access.admit(free, 'speak.speech', REQUEST))).toBeNull();
    await plan({ quota_units: 60 });
    const counted = await principal();
    expect(await refusal(access.admit(counted, 'speak.speech', REQUEST))).toMatchObject({
      code: 'insufficient_quota',
      status: 402,
    });
  });

  it('tells a live session that its key lost the scope, or that its page lost the origin', async () => {
    const { access, principal, refusal, storage, organization, clock } = await open();
    const live = await principal({ environment: 'sandbox' });
    const admission = await access.admit(live, 'omni.call', REALTIME);
    await access.origins.replace(organization.orgId, ['https://shop.example']);
    const page = { ...live, browser: { origin: 'https://shop.example', agentId: null, configurable: null } };
    const ofPage = await access.admit(page, 'omni.call', REALTIME);
    expect(await refusal(admission.recheck(1_000))).toBeNull();
    expect(await refusal(ofPage.recheck(1_000))).toBeNull();
    await access.origins.replace(organization.orgId, []);
    expect(await refusal(ofPage.recheck(2_000))).toMatchObject({ code: 'origin_not_allowed', status: 403 });
    await storage.db.updateTable('api_keys').set({ scopes: '["omni:read"]' }).execute();
    // A node may cache the state of a key for half a minute.
    clock.advance(31_000);
    expect(await refusal(admission.recheck(3_000))).toMatchObject({
      code: 'forbidden',
      param: 'omni:session',
    });
  });

  it('caps live sessions by key, frees a slot once, and does not count requests', async () => {
    const { access, principal, refusal } = await open();
    const sandbox = await principal({ environment: 'sandbox' });
    const other = await principal({ environment: 'sandbox' });
    const first = await access.admit(sandbox, 'omni.call', REALTIME);
    await access.admit(sandbox, 'hear.stream', REALTIME);
    expect(await refusal(access.admit(sandbox, 'hear.stream', REALTIME))).toMatchObject({
      code: 'concurrency_limit_exceeded',
      status: 429,
      retryAfter: 1,
    });
    expect(await refusal(access.admit(sandbox, 'hear.stream', REQUEST))).toBeNull();
    expect(await refusal(access.admit(other, 'hear.stream', REALTIME))).toBeNull();
    first.release();
    first.release();
    expect(await refusal(access.admit(sandbox, 'hear.stream', REALTIME))).toBeNull();
    expect(await refusal(access.admit(sandbox, 'hear.stream', REALTIME))).toMatchObject({
      code: 'concurrency_limit_exceeded',
    });
  });

  it('gives the slot back when caps or credit refuse the session', async () => {
    const { access, principal, refusal, credit, plan } = await open();
    await plan({ concurrency: 1 });
    const live = await principal();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(await refusal(access.admit(live, 'omni.call', REALTIME))).toMatchObject({
        code: 'credit_exhausted',
      });
    }
    await credit(834);
    expect(await refusal(access.admit(live, 'omni.call', REALTIME))).toBeNull();
  });

  it('checks concurrency, then caps, then credit', async () => {
    const { access, principal, refusal, use, plan } = await open();
    await plan({ concurrency: 1, daily_cap_units: 1, quota_units: 1 });
    const live = await principal({ budgetMicros: 0 });
    await use(live, 'omni', 1000);
    const codes: string[] = [];
    const sandbox = await principal({ environment: 'sandbox' });
    const held = await access.admit(sandbox, 'omni.call', REALTIME);
    await use(sandbox, 'omni', 1000);
    codes.push((await refusal(access.admit(sandbox, 'omni.call', REALTIME))).code);
    held.release();
    codes.push((await refusal(access.admit(sandbox, 'omni.call', REALTIME))).code);
    await plan({ daily_cap_units: null });
    const uncapped = await principal({ budgetMicros: 0 });
    codes.push((await refusal(access.admit(uncapped, 'omni.call', REALTIME))).code);
    await plan({ quota_units: null });
    const unmetered = await principal({ budgetMicros: 0 });
    codes.push((await refusal(access.admit(unmetered, 'omni.call', REALTIME))).code);
    codes.push((await refusal(access.admit(await principal(), 'omni.call', REALTIME))).code);
    expect(codes).toEqual([
      'concurrency_limit_exceeded',
      'daily_cap_exceeded',
      'insufficient_quota',
      'key_budget_exceeded',
      'credit_exhausted',
    ]);
  });

  it('rechecks a session with what it has used so far, to the millisecond', async () => {
    const { access, principal, refusal, credit, use } = await open();
    await credit(50_000);
    const live = await principal();
    const call = await access.admit(live, 'omni.call', REALTIME);
    expect(await call.recheck(30_000)).toBe(15_000);
    expect(await call.recheck(50_000)).toBe(10_000);
    expect(await call.recheck(60_000)).toBe(0);
    expect(await refusal(call.recheck(60_001))).toMatchObject({ code: 'credit_exhausted' });
    expect(await call.recheck(30_000, 20_000)).toBe(20_000);
    expect(await call.recheck(30_000, 3_600_000)).toBe(30_000);
    await use(live, 'omni', 30_000);
    expect(await refusal(call.recheck(30_000))).toBeNull();
    expect(await refusal(call.recheck(30_001))).toMatchObject({ code: 'credit_exhausted' });
    const sandbox = await principal({ environment: 'sandbox' });
    const trial = await access.admit(sandbox, 'omni.call', REALTIME);
    expect(await refusal(trial.recheck(3_600_000))).toBeNull();
    expect(await refusal(trial.recheck(3_600_001))).toMatchObject({ code: 'daily_cap_exceeded' });
  });

  it('promises the last credit once, however many sessions, jobs and requests ask for it', async () => {
    const { access, billing, organization, principal, refusal, credit } = await open();
    await credit(50_000);
    const live = await principal();
    const one = await access.admit(live, 'omni.call', REALTIME);
    const other = await access.admit(await principal(), 'omni.call', REALTIME);
    expect(await refusal(one.recheck(30_000))).toBeNull();
    const standing = () =>
      billing.creditStatus({ orgId: organization.orgId, keyId: live.keyId, environment: 'live' });
    expect(await standing()).toMatchObject({ reservedMilliseconds: 60_000, reservedMicros: 50_000n });
    expect(await refusal(access.admit(live, 'hear.stream', REQUEST))).toMatchObject({
      code: 'credit_exhausted',
    });
    expect(await refusal(other.recheck(15_000))).toBeNull();
    expect(await refusal(other.recheck(15_001))).toMatchObject({ code: 'credit_exhausted' });
    expect(await refusal(access.admit(live, 'amd.detection', REALTIME))).toBeNull();
    await one.release();
    expect(await refusal(other.recheck(60_000))).toBeNull();
    expect(await refusal(other.recheck(60_001))).toMatchObject({ code: 'credit_exhausted' });
    await other.release();
    expect(await standing()).toMatchObject({ reservedMilliseconds: 0, balanceMicros: 50_000n });
  });

  it('holds the whole length of what has one, and refuses what does not fit', async () => {
    const { access, principal, refusal, credit } = await open();
    await credit(1);
    const live = await principal();
    const job = (milliseconds: number) => access.admit(live, 'hear.job', { realtime: false, milliseconds });
    expect(await refusal(job(4 * 3_600_000))).toMatchObject({ code: 'credit_exhausted', status: 402 });
    expect(await refusal(access.admit(live, 'speak.speech', REQUEST))).toMatchObject({
      code: 'credit_exhausted',
    });
    await credit(1_000);
    await job(60_000);
    expect(await refusal(job(60_001))).toMatchObject({ code: 'credit_exhausted' });
    await job(60_000);
    expect(await refusal(job(1_000))).toMatchObject({ code: 'credit_exhausted' });
    const sandbox = await principal({ environment: 'sandbox' });
    const trial = (milliseconds: number) =>
      access.admit(sandbox, 'hear.job', { realtime: false, milliseconds });
    for (let half = 0; half < 2; half += 1) await trial(1_800_000);
    expect(await refusal(trial(1))).toMatchObject({ code: 'daily_cap_exceeded', status: 429 });
  });

  it('asks again when a job starts, and takes exactly what it needs', async () => {
    const { access, billing, organization, principal, refusal, credit, use } = await open();
    await credit(1_000);
    const live = await principal();
    const order = { reservationId: 'hold_job_a', resource: 'job_a', leaseMs: 60_000 };
    const admission = await access.admit(live, 'hear.job', {
      realtime: false,
      milliseconds: 60_000,
      ...order,
    });
    admission.handOver();
    await admission.release();
    const held = async () =>
      (await billing.creditStatus({ orgId: organization.orgId, keyId: null, environment: 'live' }))
        .reservedMilliseconds;
    expect(await held()).toBe(60_000);
    await access.confirm(live, 'hear.job', { ...order, milliseconds: 90_000 });
    expect(await held()).toBe(90_000);
    await use(live, 'hear', 40_000);
    expect(await refusal(access.confirm(live, 'hear.job', { ...order, milliseconds: 90_000 }))).toMatchObject(
      {
        code: 'credit_exhausted',
      },
    );
    await billing.releaseReservation('hold_job_a');
    expect(await held()).toBe(0);
  });

  it('gives back what is held when its holder is gone, and not before', async () => {
    const { access, billing, clock, organization, principal, credit } = await open();
    await credit(50_000);
    const live = await principal();
    await access.admit(live, 'omni.call', REALTIME);
    const held = async () =>
      (await billing.creditStatus({ orgId: organization.orgId, keyId: null, environment: 'live' }))
        .reservedMilliseconds;
    const resting = clock.timers;
    // This node lives and renews its reservation; a dead one does not.
    for (let minutes = 0; minutes < 3; minutes += 1) {
      for (let step = 0; step < 3; step += 1) {
        clock.advance(20_000);
        await expect.poll(() => clock.timers, { timeout: 10_000 }).toBe(resting);
        expect(await held()).toBe(15_000);
      }
    }
    access.close();
    clock.advance(60_001);
    expect(await held()).toBe(0);
  });

  it('lets the sessions of a key spend the rest of its budget once, and leaves other keys theirs', async () => {
    const { access, principal, refusal, credit } = await open();
    await credit(1_000_000);
    const tight = await principal({ budgetMicros: 50_000 });
    const one = await access.admit(tight, 'omni.call', REALTIME);
    const other = await access.admit(tight, 'omni.call', REALTIME);
    const ofAnotherKey = await access.admit(await principal({ budgetMicros: 50_000 }), 'omni.call', REALTIME);
    expect(await refusal(one.recheck(30_000))).toBeNull();
    expect(await refusal(other.recheck(15_001))).toMatchObject({ code: 'key_budget_exceeded' });
    expect(await refusal(access.admit(tight, 'hear.stream', REQUEST))).toMatchObject({
      code: 'key_budget_exceeded',
    });
    expect(await refusal(ofAnotherKey.recheck(60_000))).toBeNull();
    await other.release();
    expect(await refusal(access.admit(tight, 'hear.stream', REQUEST))).toBeNull();
  });
});
