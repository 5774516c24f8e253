import { expect, it } from 'vitest';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { makeOrganization, usageEvent } from './organization.ts';

const NOVEMBER_10 = Date.UTC(2026, 10, 10, 12);
const DAY = 86_400_000;

onBothDatabases('billing', (databases) => {
  async function setUp() {
    const storage = await databases.open();
    const clock = new ManualClock(NOVEMBER_10);
    const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
    const organization = await makeOrganization(storage);
    const record = (event: Parameters<typeof billing.recordUsage>[1]) =>
      storage.transaction((transaction) => billing.recordUsage(transaction, event));
    const standing = () =>
      billing.creditStatus({ orgId: organization.orgId, keyId: 'key_test', environment: 'live' });
    return { storage, clock, billing, organization, record, standing };
  }

  it('counts an event once however often it is recorded, before and after the roll-up', async () => {
    const { billing, organization, record, standing } = await setUp();
    const event = usageEvent(organization, 'hear', 60_000, NOVEMBER_10);
    const once = {
      balanceMicros: -1000n,
      keyMonthMicros: 1000n,
      dayMilliseconds: 60_000,
      monthMilliseconds: 60_000,
    };
    await record(event);
    await record(event);
    expect(await standing()).toMatchObject(once);
    await billing.flush();
    await record(event);
    await billing.flush();
    expect(await standing()).toMatchObject(once);
  });

  it('records nothing with the transaction that failed, and nothing that is empty', async () => {
    const { billing, organization, record, standing, storage } = await setUp();
    await record(usageEvent(organization, 'hear', 0, NOVEMBER_10));
    const failed = storage.transaction(async (transaction) => {
      await billing.recordUsage(transaction, usageEvent(organization, 'hear', 5000, NOVEMBER_10));
      throw new Error('the result could not be stored');
    });
    await expect(failed).rejects.toThrow('could not be stored');
    expect(await storage.db.selectFrom('usage_events').selectAll().execute()).toEqual([]);
    expect((await standing()).balanceMicros).toBe(0n);
  });

  it('refuses what is not a count of milliseconds', async () => {
    const { organization, record } = await setUp();
    for (const bad of [0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      await expect(record(usageEvent(organization, 'hear', bad, NOVEMBER_10))).rejects.toThrow(RangeError);
    }
  });

  it('adds credit once for each reference and refuses another amount under it', async () => {
    const { billing, organization, standing } = await setUp();
    const credit = { orgId: organization.orgId, amountMicros: 5_000_000, reference: 'payment 1' };
    const first = await billing.addCredit(credit);
    expect(await billing.addCredit(credit)).toEqual(first);
    await expect(billing.addCredit({ ...credit, amountMicros: 1 })).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    await billing.addCredit({ orgId: organization.orgId, amountMicros: 1 });
    await billing.addCredit({ orgId: organization.orgId, amountMicros: 1 });
    expect((await standing()).balanceMicros).toBe(5_000_002n);
    await expect(billing.addCredit({ orgId: 'org_none', amountMicros: 1 })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('says what is held, with the rounding that the month will get', async () => {
    const { billing, organization, record, standing } = await setUp();
    await billing.addCredit({ orgId: organization.orgId, amountMicros: 1_000_000 });
    await record(usageEvent(organization, 'speak', 500, NOVEMBER_10));
    const reserve = (milliseconds: number) =>
      billing.reserve({
        ...organization,
        id: 'hold_a',
        use: 'speak.speech',
        keyId: 'key_test',
        environment: 'live',
        least: { milliseconds, count: 0 },
        wanted: { milliseconds, count: 0 },
        caps: { dailyUnits: null, quotaUnits: null, budgetMicros: null },
        begins: true,
        resource: 'test',
        leaseMs: 60_000,
      });
    await reserve(500);
    expect(await standing()).toMatchObject({ reservedMicros: 0n, reservedMilliseconds: 500 });
    await reserve(501);
    expect(await standing()).toMatchObject({ reservedMicros: 1333n - 666n, reservedMilliseconds: 501 });
    await billing.releaseReservation('hold_a');
    expect(await standing()).toMatchObject({ reservedMicros: 0n, reservedMilliseconds: 0 });
  });

  it('never bills sandbox usage, bundled answering-machine detection or the first 5,000 answered calls', async () => {
    const { billing, organization, record, standing } = await setUp();
    await record(usageEvent(organization, 'speak', 60_000, NOVEMBER_10, { environment: 'sandbox' }));
    await record(usageEvent(organization, 'amd', 0, NOVEMBER_10, { count: 7, bundled: true }));
    await record(usageEvent(organization, 'amd', 0, NOVEMBER_10, { count: 4999 }));
    await billing.flush();
    await record(usageEvent(organization, 'amd', 0, NOVEMBER_10, { count: 1 }));
    expect(await standing()).toMatchObject({ balanceMicros: 0n });
    await record(usageEvent(organization, 'amd', 0, NOVEMBER_10, { count: 1 }));
    expect(await standing()).toMatchObject({ balanceMicros: -4000n });
  });

  it('starts days and months at 00:00 UTC', async () => {
    const { clock, organization, record, standing } = await setUp();
    clock.advance(Date.UTC(2026, 10, 30, 23, 59, 59, 999) - clock.now());
    await record(usageEvent(organization, 'hear', 1000, clock.now()));
    expect(await standing()).toMatchObject({ dayMilliseconds: 1000, monthMilliseconds: 1000 });
    clock.advance(1);
    expect(await standing()).toMatchObject({
      dayMilliseconds: 0,
      monthMilliseconds: 0,
      keyMonthMicros: 0n,
      balanceMicros: -16n,
    });
  });

  it('issues an invoice after the grace, never changes it, and bills a late event in the next month', async () => {
    const { billing, clock, organization, record, standing } = await setUp();
    await billing.addCredit({ orgId: organization.orgId, amountMicros: 1_000_000 });
    await record(usageEvent(organization, 'hear', 90_500, NOVEMBER_10));
    await record(usageEvent(organization, 'telephony', 61_000, NOVEMBER_10));
    await record(usageEvent(organization, 'telephony', 1_000, NOVEMBER_10));
    clock.advance(Date.UTC(2026, 11, 2, 23, 59) - clock.now());
    expect(
      (await billing.invoices(organization.orgId)).map(({ period, status }) => [period, status]),
    ).toEqual([
      ['2026-12', 'open'],
      ['2026-11', 'open'],
    ]);
    // The usage is recorded within the grace period, so it still belongs to November.
    await record(usageEvent(organization, 'hear', 500, NOVEMBER_10));
    clock.advance(DAY);
    await billing.flush();
    const [december, november] = await billing.invoices(organization.orgId);
    expect(december).toMatchObject({ period: '2026-12', status: 'open', amountMicros: 0 });
    expect(november).toMatchObject({
      period: '2026-11',
      status: 'issued',
      amountMicros: 1516 + 30_000,
      lines: [
        { meter: 'hear', milliseconds: 91_000, units: 91, amount_micros: 1516 },
        { meter: 'telephony', units: 3, amount_micros: 30_000 },
      ],
    });
    expect((await standing()).balanceMicros).toBe(1_000_000n - 31_516n);
    await record(usageEvent(organization, 'hear', 60_000, NOVEMBER_10));
    const [later, unchanged] = await billing.invoices(organization.orgId);
    expect(unchanged).toEqual(november);
    expect(later).toMatchObject({ period: '2026-12', amountMicros: 1000 });
    expect((await standing()).balanceMicros).toBe(1_000_000n - 32_516n);
  });

  it('issues one invoice for a month when many nodes try at once', async () => {
    const { billing, clock, organization, record, storage } = await setUp();
    await record(usageEvent(organization, 'hear', 60_000, NOVEMBER_10));
    clock.advance(Date.UTC(2026, 11, 4) - clock.now());
    await Promise.all(Array.from({ length: 4 }, () => billing.flush()));
    expect(await storage.db.selectFrom('invoices').selectAll().execute()).toHaveLength(1);
    expect(await storage.db.selectFrom('ledger_entries').selectAll().execute()).toHaveLength(1);
  });

  it('uses the price that holds in the month', async () => {
    const { clock, organization, record, storage } = await setUp();
    await storage.db
      .insertInto('prices')
      .values({ meter: 'hear', from_month: '2026-12', unit: 'second', micros: 6000, per: 60, free_units: 0 })
      .execute();
    const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
    await record(usageEvent(organization, 'hear', 60_000, NOVEMBER_10));
    await record(usageEvent(organization, 'hear', 60_000, NOVEMBER_10 + 30 * DAY));
    await billing.flush();
    clock.advance(NOVEMBER_10 + 30 * DAY - clock.now());
    const amounts = (await billing.invoices(organization.orgId)).map(({ amountMicros }) => amountMicros);
    expect(amounts).toEqual([6000, 1000]);
  });

  it('reports usage by day, key and meter', async () => {
    const { billing, organization, record, storage } = await setUp();
    const other = await makeOrganization(storage);
    await record(usageEvent(organization, 'hear', 1500, NOVEMBER_10, { keyId: 'key_a' }));
    await record(usageEvent(organization, 'hear', 500, NOVEMBER_10 + DAY, { keyId: 'key_b' }));
    await record(usageEvent(organization, 'speak', 700, NOVEMBER_10, { keyId: null }));
    await record(usageEvent(organization, 'hear', 9, NOVEMBER_10, { environment: 'sandbox' }));
    await record(usageEvent(other, 'hear', 99, NOVEMBER_10));
    const range = { orgId: organization.orgId, from: '2026-11-01', to: '2026-11-30' };
    const live = { ...range, environment: 'live' } as const;
    const sums = async (query: Parameters<typeof billing.usage>[0]) =>
      (await billing.usage(query)).map((line) => [line.day, line.keyId, line.meter, line.milliseconds]);
    expect(await sums({ ...live, groupBy: ['meter'] })).toEqual([
      [null, null, 'hear', 2000],
      [null, null, 'speak', 700],
    ]);
    expect(await sums({ ...live, groupBy: ['day', 'key', 'meter'] })).toEqual([
      ['2026-11-10', null, 'speak', 700],
      ['2026-11-10', 'key_a', 'hear', 1500],
      ['2026-11-11', 'key_b', 'hear', 500],
    ]);
    expect(await sums({ ...live, to: '2026-11-10', groupBy: [] })).toEqual([[null, null, null, 2200]]);
    expect(await billing.usage({ ...range, groupBy: [] })).toHaveLength(2);
  });
});
