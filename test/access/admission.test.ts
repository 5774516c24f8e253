import { afterEach, expect, it } from 'vitest';
import type { Meter, Principal } from '../../src/access/contract.ts';
import { usageEvent } from '../billing/organization.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { bearer, NOON, openRoom, type TestRoom } from './room.ts';

const REALTIME = { realtime: true };
const REQUEST = { realtime: false };

onBothDatabases('admission', (databases) => {
  const rooms: TestRoom[] = [];
  afterEach(() => {
    for (const room of rooms.splice(0)) room.access.close();
  });

  async function open() {
    const room = await openRoom(await databases.open());
    rooms.push(room);
    return {
      ...room,
      async principal(more: Parameters<TestRoom['makeKey']>[0] = {}): Promise<Principal> {
        const key = await room.makeKey(more);
        return (await room.access.authorize(bearer(key.text), { kind: 'key' })).principal as Principal;
      },
      async use(principal: Principal, meter: Meter, milliseconds: number, count = 0) {
        const { keyId, environment } = principal;
        await room.storage.transaction((transaction) =>
          room.billing.record(
            transaction,
            usageEvent(room.organization, meter, milliseconds, room.clock.now(), {
              keyId,
              environment,
              count,
            }),
          ),
        );
      },
      refusal: (attempt: Promise<unknown>) =>
        attempt.then(
          () => null,
          (error) => error,
        ),
      credit: (amountMicros: number) =>
        room.billing.addCredit({ orgId: room.organization.orgId, amountMicros }),
      plan: (change: object) =>
        room.storage.db.updateTable('plans').set(change).where('id', 'in', ['standard', 'sandbox']).execute(),
    };
  }

  it('needs prepaid credit of a live key and none of a sandbox key', async () => {
    const { access, principal, refusal, credit, use } = await open();
    const live = await principal();
    const sandbox = await principal({ environment: 'sandbox' });
    expect(await refusal(access.admit(live, 'hear', REQUEST))).toMatchObject({
      code: 'credit_exhausted',
      status: 402,
    });
    expect(await refusal(access.admit(sandbox, 'hear', REQUEST))).toBeNull();
    await credit(1000);
    expect(await refusal(access.admit(live, 'hear', REQUEST))).toBeNull();
    await use(live, 'hear', 59_000);
    expect(await refusal(access.admit(live, 'hear', REQUEST))).toBeNull();
    await use(live, 'hear', 1_000);
    expect(await refusal(access.admit(live, 'hear', REQUEST))).toMatchObject({ code: 'credit_exhausted' });
  });

  it('needs the organization’s credit for what a signed-in user starts', async () => {
    const { access, principal, refusal, credit } = await open();
    const key = await principal();
    const user = { ...key, kind: 'user', keyId: null, userId: 'usr_a' } as const;
    expect(await refusal(access.admit(user, 'agents_beta', REALTIME))).toMatchObject({
      code: 'credit_exhausted',
    });
    await credit(1);
    expect(await refusal(access.admit(user, 'agents_beta', REALTIME))).toBeNull();
  });

  it('lets the free answered calls of a month pass without credit', async () => {
    const { access, principal, refusal, use } = await open();
    const live = await principal();
    await use(live, 'amd', 0, 4999);
    expect(await refusal(access.admit(live, 'amd', REALTIME))).toBeNull();
    await use(live, 'amd', 0, 1);
    expect(await refusal(access.admit(live, 'amd', REALTIME))).toMatchObject({ code: 'credit_exhausted' });
  });

  it('stops a sandbox at its daily cap until 00:00 UTC, all keys of the organization together', async () => {
    const { access, clock, principal, refusal, use } = await open();
    const one = await principal({ environment: 'sandbox' });
    const other = await principal({ environment: 'sandbox' });
    await use(one, 'speak', 3_599_999);
    expect(await refusal(access.admit(other, 'hear', REQUEST))).toBeNull();
    await use(one, 'speak', 1);
    clock.advance(6 * 3_600_000);
    expect(await refusal(access.admit(other, 'hear', REQUEST))).toMatchObject({
      code: 'daily_cap_exceeded',
      status: 429,
      retryAfter: 6 * 3600,
    });
    clock.advance(NOON + 12 * 3_600_000 - clock.now());
    expect(await refusal(access.admit(other, 'hear', REQUEST))).toBeNull();
  });

  it('holds a key to its own monthly budget and a plan to its quota', async () => {
    const { access, principal, refusal, credit, use, plan } = await open();
    await credit(1_000_000);
    const tight = await principal({ budgetMicros: 40_000 });
    const free = await principal();
    await use(tight, 'speak', 60_000);
    expect(await refusal(access.admit(tight, 'speak', REQUEST))).toMatchObject({
      code: 'key_budget_exceeded',
      status: 402,
    });
    expect(await refusal(access.admit(free, 'speak', REQUEST))).toBeNull();
    await plan({ quota_units: 60 });
    const counted = await principal();
    expect(await refusal(access.admit(counted, 'speak', REQUEST))).toMatchObject({
      code: 'insufficient_quota',
      status: 402,
    });
  });

  it('tells a live session that its key lost the scope, or that its page lost the origin', async () => {
    const { access, principal, refusal, storage, organization, clock } = await open();
    const live = await principal({ environment: 'sandbox' });
    const admission = await access.admit(live, 'omni', REALTIME);
    await access.origins.replace(organization.orgId, ['https://shop.example']);
    const page = { ...live, browser: { origin: 'https://shop.example', agentId: null } };
    const ofPage = await access.admit(page, 'omni', REALTIME);
    expect(await refusal(admission.recheck(1_000))).toBeNull();
    expect(await refusal(ofPage.recheck(1_000))).toBeNull();
    await access.origins.replace(organization.orgId, []);
    expect(await refusal(ofPage.recheck(2_000))).toMatchObject({ code: 'origin_not_allowed', status: 403 });
    await storage.db.updateTable('api_keys').set({ scopes: '["omni:read"]' }).execute();
    // A node may go on with what it knows of a key for half a minute.
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
    const first = await access.admit(sandbox, 'omni', REALTIME);
    await access.admit(sandbox, 'hear', REALTIME);
    expect(await refusal(access.admit(sandbox, 'hear', REALTIME))).toMatchObject({
      code: 'concurrency_limit_exceeded',
      status: 429,
      retryAfter: 1,
    });
    expect(await refusal(access.admit(sandbox, 'hear', REQUEST))).toBeNull();
    expect(await refusal(access.admit(other, 'hear', REALTIME))).toBeNull();
    first.release();
    first.release();
    expect(await refusal(access.admit(sandbox, 'hear', REALTIME))).toBeNull();
    expect(await refusal(access.admit(sandbox, 'hear', REALTIME))).toMatchObject({
      code: 'concurrency_limit_exceeded',
    });
  });

  it('gives the slot back when caps or credit refuse the session', async () => {
    const { access, principal, refusal, credit, plan } = await open();
    await plan({ concurrency: 1 });
    const live = await principal();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(await refusal(access.admit(live, 'omni', REALTIME))).toMatchObject({ code: 'credit_exhausted' });
    }
    await credit(1);
    expect(await refusal(access.admit(live, 'omni', REALTIME))).toBeNull();
  });

  it('checks concurrency, then caps, then credit', async () => {
    const { access, principal, refusal, use, plan } = await open();
    await plan({ concurrency: 1, daily_cap_units: 1, quota_units: 1 });
    const live = await principal({ budgetMicros: 0 });
    await use(live, 'omni', 1000);
    const codes: string[] = [];
    const sandbox = await principal({ environment: 'sandbox' });
    const held = await access.admit(sandbox, 'omni', REALTIME);
    await use(sandbox, 'omni', 1000);
    codes.push((await refusal(access.admit(sandbox, 'omni', REALTIME))).code);
    held.release();
    codes.push((await refusal(access.admit(sandbox, 'omni', REALTIME))).code);
    await plan({ daily_cap_units: null });
    const uncapped = await principal({ budgetMicros: 0 });
    codes.push((await refusal(access.admit(uncapped, 'omni', REALTIME))).code);
    await plan({ quota_units: null });
    const unmetered = await principal({ budgetMicros: 0 });
    codes.push((await refusal(access.admit(unmetered, 'omni', REALTIME))).code);
    codes.push((await refusal(access.admit(await principal(), 'omni', REALTIME))).code);
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
    const call = await access.admit(live, 'omni', REALTIME);
    expect(await refusal(call.recheck(60_000))).toBeNull();
    expect(await refusal(call.recheck(60_001))).toMatchObject({ code: 'credit_exhausted' });
    await use(live, 'omni', 30_000);
    expect(await refusal(call.recheck(30_000))).toBeNull();
    expect(await refusal(call.recheck(30_001))).toMatchObject({ code: 'credit_exhausted' });
    const sandbox = await principal({ environment: 'sandbox' });
    const trial = await access.admit(sandbox, 'omni', REALTIME);
    expect(await refusal(trial.recheck(3_600_000))).toBeNull();
    expect(await refusal(trial.recheck(3_600_001))).toMatchObject({ code: 'daily_cap_exceeded' });
  });

  it('lets the sessions of an organization spend the last credit once, not each', async () => {
    const { access, principal, refusal, credit } = await open();
    await credit(50_000);
    const live = await principal();
    const one = await access.admit(live, 'omni', REALTIME);
    const other = await access.admit(await principal(), 'omni', REALTIME);
    expect(await refusal(one.recheck(30_000))).toBeNull();
    expect(await refusal(other.recheck(30_000))).toBeNull();
    expect(await refusal(other.recheck(30_001))).toMatchObject({ code: 'credit_exhausted' });
    // What lives has used it up: nothing new begins, but for what is free.
    expect(await refusal(access.admit(live, 'hear', REQUEST))).toMatchObject({ code: 'credit_exhausted' });
    expect(await refusal(access.admit(live, 'amd', REALTIME))).toBeNull();
    other.release();
    expect(await refusal(access.admit(live, 'hear', REQUEST))).toBeNull();
    const sandbox = await principal({ environment: 'sandbox' });
    const first = await access.admit(sandbox, 'omni', REALTIME);
    const second = await access.admit(sandbox, 'hear', REALTIME);
    expect(await refusal(first.recheck(2_000_000))).toBeNull();
    expect(await refusal(second.recheck(1_600_000))).toBeNull();
    expect(await refusal(second.recheck(1_600_001))).toMatchObject({ code: 'daily_cap_exceeded' });
  });

  it('lets the sessions of a key spend the rest of its budget once, and leaves other keys theirs', async () => {
    const { access, principal, refusal, credit } = await open();
    await credit(1_000_000);
    const tight = await principal({ budgetMicros: 50_000 });
    const one = await access.admit(tight, 'omni', REALTIME);
    const other = await access.admit(tight, 'omni', REALTIME);
    const ofAnotherKey = await access.admit(await principal({ budgetMicros: 50_000 }), 'omni', REALTIME);
    expect(await refusal(one.recheck(30_000))).toBeNull();
    expect(await refusal(other.recheck(30_000))).toBeNull();
    expect(await refusal(other.recheck(30_001))).toMatchObject({ code: 'key_budget_exceeded' });
    expect(await refusal(access.admit(tight, 'hear', REQUEST))).toMatchObject({
      code: 'key_budget_exceeded',
    });
    expect(await refusal(ofAnotherKey.recheck(60_000))).toBeNull();
    other.release();
    expect(await refusal(access.admit(tight, 'hear', REQUEST))).toBeNull();
  });
});
