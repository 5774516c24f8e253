import { expect, it } from 'vitest';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { makeOrganization, usageEvent } from './organization.ts';

const NOVEMBER_10 = Date.UTC(2026, 10, 10, 12);
const full = () => Object.assign(new Error('no space left'), { code: 'SQLITE_FULL' });

onBothDatabases('usage that the database does not take', (databases) => {
  async function setUp() {
    const storage = await databases.open();
    const clock = new ManualClock(NOVEMBER_10);
    const refusal: { error: Error | null } = { error: null };
    const guarded: Storage = Object.create(storage, {
      transaction: {
        value: async (...given: Parameters<Storage['transaction']>) => {
          if (refusal.error) throw refusal.error;
          return await storage.transaction(...given);
        },
      },
    });
    const errors: Error[] = [];
    const billing = createBilling({
      storage: guarded,
      clock,
      background: new BackgroundTasks({ clock }),
      onError: (error) => errors.push(error as Error),
    });
    const organization = await makeOrganization(storage);
    const standing = () =>
      billing.creditStatus({ orgId: organization.orgId, keyId: 'key_test', environment: 'live' });
    const reserve = (begins: boolean) =>
      billing.reserve({
        ...organization,
        id: 'hold_a',
        use: 'speak.speech',
        keyId: 'key_test',
        environment: 'live',
        least: { milliseconds: 1, count: 0 },
        wanted: { milliseconds: 1, count: 0 },
        caps: { dailyUnits: null, quotaUnits: null, budgetMicros: null },
        begins,
        resource: 'test',
        leaseMs: 60_000,
      });
    const events = () => storage.db.selectFrom('usage_events').select(['id', 'milliseconds']).execute();
    return { storage, clock, billing, refusal, errors, organization, standing, reserve, events };
  }

  it('is kept, counted at once, and written once when the database takes it', async () => {
    const { storage, clock, billing, refusal, organization, standing, events } = await setUp();
    billing.start();
    databases.after(() => billing.stop());
    refusal.error = full();
    const event = usageEvent(organization, 'speak', 60_000, NOVEMBER_10);
    await billing.recordServedUsage(event);
    await billing.recordServedUsage(event);
    await billing.recordServedUsage(
      usageEvent(organization, 'speak', 30_000, NOVEMBER_10, { keyId: 'key_other' }),
    );
    expect([await events(), billing.unrecordedUsage]).toEqual([[], 2]);
    const before = await standing();
    expect(before).toMatchObject({ dayMilliseconds: 90_000, monthMilliseconds: 90_000 });
    expect(before).toMatchObject({ balanceMicros: -60_000n, keyMonthMicros: 40_000n });
    refusal.error = null;
    clock.advance(2_000);
    await expect.poll(() => billing.unrecordedUsage).toBe(0);
    expect((await events()).map(({ milliseconds }) => milliseconds).sort()).toEqual([30_000, 60_000]);
    expect(await standing()).toMatchObject({ dayMilliseconds: 90_000, monthMilliseconds: 90_000 });
    await storage.transaction((transaction) => billing.recordUsage(transaction, event));
    expect(await events()).toHaveLength(2);
  });

  it('is written with what belongs to it, or both wait', async () => {
    const { storage, billing, refusal, organization, events } = await setUp();
    const event = usageEvent(organization, 'speak', 1_000, NOVEMBER_10);
    let noted = 0;
    refusal.error = full();
    await billing.recordServedUsage(event, async () => {
      noted += 1;
    });
    expect(noted).toBe(0);
    refusal.error = null;
    await billing.stop();
    expect([noted, await events()]).toEqual([1, [{ id: event.id, milliseconds: 1_000 }]]);
    await storage.db.deleteFrom('usage_events').execute();
  });

  it('is told in full when the process ends before it could be written', async () => {
    const { billing, refusal, errors, organization } = await setUp();
    refusal.error = full();
    const event = usageEvent(organization, 'speak', 1_000, NOVEMBER_10);
    await billing.recordServedUsage(event);
    await billing.stop();
    expect(errors.at(-1)!.message).toContain(JSON.stringify(event));
  });

  it('is no excuse for a mistake', async () => {
    const { billing, organization } = await setUp();
    const event = usageEvent(organization, 'speak', -1, NOVEMBER_10);
    await expect(billing.recordServedUsage(event)).rejects.toThrow(/must be an integer from 0, not -1/);
    expect(billing.unrecordedUsage).toBe(0);
  });

  it('lets nothing more begin once there is too much of it', async () => {
    const { billing, refusal, organization, reserve } = await setUp();
    refusal.error = full();
    for (let n = 0; n < 10_000; n += 1)
      await billing.recordServedUsage(usageEvent(organization, 'speak', 1, NOVEMBER_10));
    await expect(reserve(true)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 60 });
    refusal.error = null;
    await expect(reserve(false)).resolves.toMatchObject({ obstacle: 'credit' });
  });
});
