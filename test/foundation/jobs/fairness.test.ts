// @requirement Fair use: Documents are bounded before they are embedded.
import type { KyselyPlugin } from 'kysely';
import { expect, it } from 'vitest';
import { type ClaimRequest, claimJobs } from '../../../src/foundation/jobs/claim.ts';
import { JobQueue, type Trx } from '../../../src/foundation/jobs/index.ts';
import { waitingRow } from '../../../src/foundation/jobs/rows.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import { fc, runs } from '../../property-tests.ts';
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

  const take = (
    storage: Storage,
    clock: ManualClock,
    limit: number,
    perTenant: number,
    more: Partial<ClaimRequest> = {},
    watch: (trx: Trx) => Trx = (trx) => trx,
  ) =>
    storage.transaction(
      (trx) =>
        claimJobs(watch(trx), storage.dialect, {
          queue: QUEUE,
          worker: 'w',
          limit,
          now: clock.now(),
          leaseMs: 1000,
          perTenant,
          perGroup: Number.POSITIVE_INFINITY,
          lastServed: turns,
          ...more,
        }),
      { isolation: 'read committed' },
    );

  const addWaiting = async (
    storage: Storage,
    clock: ManualClock,
    waiting: [tenant: string, late: boolean][],
  ) => {
    const jobs = waiting.map(([tenant, late], at) => ({
      ...waitingRow({ id: `w${at}`, queue: QUEUE, tenant, payload: null }, clock.now()),
      run_at: clock.now() + (late ? 3600_000 : 0),
    }));
    for (let at = 0; at < jobs.length; at += 500)
      await storage.db
        .insertInto('jobs')
        .values(jobs.slice(at, at + 500))
        .execute();
  };

  it('takes the most urgent, shares evenly, keeps to each tenant’s bound and leaves no hand idle', async () => {
    const storage = await open();
    const clock = new ManualClock();
    const property = fc.asyncProperty(
      jobs,
      steps,
      fc.integer({ min: 1, max: 4 }),
      // The queue reads all due jobs together, or finds them by hops from tenant to tenant.
      fc.constantFrom(256, 1),
      async (all, turns, perTenant, allAtOnce) => {
        await fill(storage, clock, all);
        for (const { limit, ends } of turns) {
          const claimed = await take(storage, clock, limit, perTenant, { readAllLimit: allAtOnce });
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
    await fc.assert(property, { numRuns: runs(RUNS[dialect]) });
  }, 120_000);

  it('lets every tenant have its turn before anyone has two', async () => {
    const storage = await open();
    const clock = new ManualClock();
    const waiting = fc.array(fc.constantFrom(...TENANTS), { minLength: 4, maxLength: 20 });
    const property = fc.asyncProperty(waiting, fc.constantFrom(256, 1), async (tenants, allAtOnce) => {
      await fill(
        storage,
        clock,
        tenants.map((tenant) => ({ tenant, priority: 5, late: false })),
      );
      const left = new Map(TENANTS.map((tenant) => [tenant, tenants.filter((one) => one === tenant).length]));
      let turn: string[] = [];
      for (let at = 0; at < tenants.length; at += 1) {
        const [job] = await take(storage, clock, 1, 10, { readAllLimit: allAtOnce });
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
    await fc.assert(property, { numRuns: runs(RUNS[dialect]) });
  }, 120_000);

  it.each([256, 1])(
    'shares between groups before their tenants, and keeps to a group’s bound (%i)',
    async (allAtOnce) => {
      const storage = await open();
      const clock = new ManualClock();
      turns.clear();
      const many = Array.from({ length: 20 }, (_, at): [string, boolean] => [`a host${at}`, false]);
      await addWaiting(storage, clock, [...many, ['b host', false], ['b host', false]]);
      const names = async (limit: number, perGroup: number) =>
        (await take(storage, clock, limit, 8, { readAllLimit: allAtOnce, perGroup })).map(
          ({ tenant }) => tenant,
        );
      const first = await names(4, 64);
      expect(first.filter((tenant) => tenant === 'b host').length).toBe(2);
      expect(new Set(first).size).toBe(3);
      expect((await names(10, 5)).length).toBe(3);
      const late = { ...waitingRow({ id: 'c', queue: QUEUE, tenant: 'c', payload: null }, clock.now()) };
      await storage.db.insertInto('jobs').values(late).execute();
      expect(await names(10, 5)).toEqual(['c']);
    },
  );

  it('has no work with tenants that wait for later', async () => {
    const storage = await open();
    const clock = new ManualClock();
    turns.clear();
    const later = Array.from({ length: 2500 }, (_, at): [string, boolean] => [`a host${at}`, true]);
    await addWaiting(storage, clock, [...later, ['z', false], ['z', false]]);
    let rows = 0;
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        rows += result.rows.length;
        return result;
      },
    };
    const watch = (trx: Trx) => trx.withPlugin(counter) as Trx;
    expect((await take(storage, clock, 1, 8, {}, watch)).map(({ tenant }) => tenant)).toEqual(['z']);
    expect(rows).toBeLessThan(10);
    // Where many jobs are due at once, the queue skips later jobs in bounded steps.
    turns.set(5, 'a');
    const hops = { readAllLimit: 0 };
    expect(await take(storage, clock, 1, 8, hops)).toEqual([]);
    expect((await take(storage, clock, 1, 8, hops)).map(({ tenant }) => tenant)).toEqual(['z']);
  });

  it('keeps to a tenant’s bound when nodes claim at the same moment', async () => {
    const storage = await open();
    const clock = new ManualClock();
    for (let round = 0; round < 10; round += 1) {
      await fill(
        storage,
        clock,
        Array.from({ length: 6 }, () => ({ tenant: 'a', priority: 5, late: false })),
      );
      const nodes = [0, 1, 2].map(() => take(storage, clock, 2, 2, { lastServed: new Map() }));
      expect((await Promise.all(nodes)).flat().length).toBe(2);
    }
  });
});
