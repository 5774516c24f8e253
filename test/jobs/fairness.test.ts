import fc from 'fast-check';
import { expect, it } from 'vitest';
import { claim } from '../../src/jobs/claim.ts';
import { JobQueue } from '../../src/jobs/index.ts';
import type { Storage } from '../../src/storage/index.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';

const QUEUE = 'fair';
const TENANTS = ['a', 'b', 'c', 'd'];
const RUNS = { sqlite: 60, postgres: 12 } as const;

const jobs = fc.array(
  fc.record({
    tenant: fc.constantFrom(...TENANTS),
    priority: fc.constantFrom(0, 5, 9),
    late: fc.boolean(),
  }),
  { minLength: 1, maxLength: 24 },
);
const steps = fc.array(
  fc.record({ limit: fc.integer({ min: 1, max: 6 }), ends: fc.integer({ min: 0, max: 4 }) }),
  {
    minLength: 1,
    maxLength: 6,
  },
);

interface Row {
  readonly id: string;
  readonly tenant: string;
  readonly priority: number;
  readonly state: string;
  readonly run_at: number;
}

const count = (rows: readonly Row[], tenant: string): number =>
  rows.filter((row) => row.state === 'running' && row.tenant === tenant).length;

onBothDatabases('the queue, whatever waits in it', ({ dialect, open }) => {
  const turns = new Map<number, string>();

  const rowsOf = async (storage: Storage): Promise<Row[]> =>
    await storage.db.selectFrom('jobs').select(['id', 'tenant', 'priority', 'state', 'run_at']).execute();

  async function fill(
    storage: Storage,
    clock: ManualClock,
    waiting: { tenant: string; priority: number; late: boolean }[],
  ) {
    const queue = new JobQueue(storage, clock);
    await storage.transaction(async (trx) => {
      await trx.deleteFrom('jobs').execute();
      turns.clear();
      for (const [at, { tenant, priority, late }] of waiting.entries()) {
        const runAt = clock.now() + (late ? 1000 : 0);
        await queue.enqueue(trx, { id: `job${at}`, queue: QUEUE, tenant, payload: null, priority, runAt });
      }
    });
  }

  const take = (storage: Storage, clock: ManualClock, limit: number, perTenant: number) =>
    storage.transaction(
      (trx) =>
        claim(trx, storage.dialect, {
          queue: QUEUE,
          worker: 'w',
          limit,
          now: clock.now(),
          leaseMs: 1000,
          perTenant,
          turns,
        }),
      { isolation: 'read committed' },
    );

  it('takes the most urgent, shares evenly, keeps to each tenant’s bound and leaves no hand idle', async () => {
    const storage = await open();
    const clock = new ManualClock();
    const property = fc.asyncProperty(
      jobs,
      steps,
      fc.integer({ min: 1, max: 4 }),
      async (all, turns, perTenant) => {
        await fill(storage, clock, all);
        for (const { limit, ends } of turns) {
          const claimed = await take(storage, clock, limit, perTenant);
          const rows = await rowsOf(storage);
          const left = rows.filter(
            (row) =>
              row.state === 'waiting' && row.run_at <= clock.now() && count(rows, row.tenant) < perTenant,
          );
          expect(claimed.every(({ run_at }) => run_at <= clock.now())).toBe(true);
          for (const tenant of TENANTS) expect(count(rows, tenant)).toBeLessThanOrEqual(perTenant);
          if (left.length > 0) expect(claimed.length).toBe(limit);
          for (const taken of claimed) {
            for (const row of left) {
              expect(row.priority, 'something more urgent was left').toBeGreaterThanOrEqual(taken.priority);
              if (row.priority === taken.priority)
                expect(count(rows, taken.tenant)).toBeLessThanOrEqual(count(rows, row.tenant) + 1);
            }
          }
          const running = rows.filter(({ state }) => state === 'running').slice(0, ends);
          for (const { id } of running) await storage.db.deleteFrom('jobs').where('id', '=', id).execute();
        }
      },
    );
    await fc.assert(property, { numRuns: RUNS[dialect] });
  }, 120_000);

  it('lets every tenant have its turn before anyone has two', async () => {
    const storage = await open();
    const clock = new ManualClock();
    const waiting = fc.array(fc.constantFrom(...TENANTS), { minLength: 4, maxLength: 20 });
    const property = fc.asyncProperty(waiting, async (tenants) => {
      await fill(
        storage,
        clock,
        tenants.map((tenant) => ({ tenant, priority: 5, late: false })),
      );
      const left = new Map(TENANTS.map((tenant) => [tenant, tenants.filter((one) => one === tenant).length]));
      let turn: string[] = [];
      for (let at = 0; at < tenants.length; at += 1) {
        const [job] = await take(storage, clock, 1, 10);
        const tenant = job?.tenant as string;
        if (turn.includes(tenant)) {
          const passedOver = TENANTS.filter((one) => !turn.includes(one) && (left.get(one) ?? 0) > 0);
          expect(passedOver).toEqual([]);
          turn = [];
        }
        turn.push(tenant);
        left.set(tenant, (left.get(tenant) ?? 0) - 1);
        await storage.db
          .deleteFrom('jobs')
          .where('id', '=', job?.id as string)
          .execute();
      }
    });
    await fc.assert(property, { numRuns: RUNS[dialect] });
  }, 120_000);
});
