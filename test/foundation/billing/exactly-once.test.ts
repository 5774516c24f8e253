// @requirement Billing: One table defines the metering of every use.

import { expect, it } from 'vitest';
import type { Meter } from '../../../src/foundation/access/contract.ts';
import type { UsageEvent } from '../../../src/foundation/billing/contract.ts';
import { createBilling, meterOf } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import { fc, runs } from '../../property-tests.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { makeOrganization, type TestOrganization, usageEvent } from './organization.ts';

const START = Date.UTC(2026, 8, 20);
const DAY = 86_400_000;
const METERS: readonly Meter[] = ['hear', 'speak', 'omni', 'telephony', 'amd', 'messages'];

/** `crash` is the end of the step's transaction: none, before its commit, or after it. */
type Step =
  | { readonly kind: 'record'; readonly event: number; readonly crash: Crash; readonly attempts: number }
  | { readonly kind: 'sum'; readonly crash: Crash }
  | { readonly kind: 'invoice'; readonly crash: Crash }
  | { readonly kind: 'pass'; readonly days: number };
type Crash = 'none' | 'before' | 'after';

class Crashed extends Error {}

function node(storage: Storage, crash: Crash): Storage {
  if (crash === 'none') return storage;
  return new Proxy(storage, {
    get(target, name) {
      if (name !== 'transaction') {
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (task: Parameters<Storage['transaction']>[0], options: object) => {
        await target.transaction(async (transaction) => {
          await task(transaction);
          if (crash === 'before') throw new Crashed();
        }, options);
        throw new Crashed();
      };
    },
  });
}

const crash = fc.constantFrom<Crash>('none', 'none', 'before', 'after');
const steps = fc.array(
  fc.array(
    fc.oneof(
      { weight: 6, arbitrary: recordStep() },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('sum' as const), crash }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('invoice' as const), crash }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('pass' as const), days: fc.integer({ min: 1, max: 20 }) }),
      },
    ),
    { minLength: 1, maxLength: 4 },
  ),
  { minLength: 1, maxLength: 12 },
);

function recordStep() {
  return fc.record({
    kind: fc.constant('record' as const),
    event: fc.nat({ max: 9 }),
    crash,
    attempts: fc.integer({ min: 1, max: 3 }),
  });
}

const event = fc.record({
  meter: fc.constantFrom(...METERS),
  milliseconds: fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 10_000_000 })),
  sandbox: fc.boolean(),
  bundled: fc.boolean(),
  daysAgo: fc.integer({ min: 0, max: 40 }),
});
type EventPlan = typeof event extends fc.Arbitrary<infer T> ? T : never;

/** Detected calls and written answers are billed by count, not by duration. */
const isCounted = (meter: EventPlan['meter']): boolean => meter === 'amd' || meter === 'messages';

const eventOf = (organization: TestOrganization, plan: EventPlan, index: number): UsageEvent =>
  usageEvent(
    organization,
    plan.meter,
    isCounted(plan.meter) ? 0 : plan.milliseconds,
    START - plan.daysAgo * DAY,
    {
      id: `${organization.orgId} ${index}`,
      environment: plan.sandbox ? 'sandbox' : 'live',
      count: isCounted(plan.meter) ? 1 : 0,
      bundled: plan.meter === 'amd' && plan.bundled,
    },
  );

class Cluster {
  now = START;
  readonly recorded = new Map<string, UsageEvent>();
  readonly #storage: Storage;
  readonly #organization: TestOrganization;
  readonly #events: readonly UsageEvent[];

  constructor(storage: Storage, organization: TestOrganization, events: readonly UsageEvent[]) {
    this.#storage = storage;
    this.#organization = organization;
    this.#events = events;
  }

  billing(how: Crash = 'none') {
    const clock = { now: () => this.now, monotonic: () => 0, after: () => () => {} };
    return createBilling({
      storage: node(this.#storage, how),
      clock,
      background: new BackgroundTasks({ clock }),
    });
  }

  async run(step: Step): Promise<void> {
    if (step.kind === 'pass') {
      this.now += step.days * DAY;
      return;
    }
    if (step.kind === 'record') {
      await this.#record(this.#events[step.event] as UsageEvent, step);
      return;
    }
    const { orgId } = this.#organization;
    const work =
      step.kind === 'invoice'
        ? this.billing(step.crash).invoices(orgId)
        : this.billing(step.crash).usage({ orgId, from: '2026-01-01', to: '2027-12-31', groupBy: [] });
    await survive(work);
  }

  /** The job retries until it knows that the usage was stored, and sometimes once more. */
  async #record(usage: UsageEvent, step: { crash: Crash; attempts: number }): Promise<void> {
    const billing = this.billing();
    const store = (how: Crash) =>
      node(this.#storage, how).transaction((transaction) => billing.recordUsage(transaction, usage));
    await survive(store(step.crash));
    for (let attempt = 0; attempt < step.attempts; attempt += 1) await store('none');
    this.recorded.set(usage.id, usage);
  }
}

async function survive(work: Promise<unknown>): Promise<void> {
  await work.catch((error) => {
    if (!(error instanceof Crashed)) throw error;
  });
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Checks that every millisecond, call minute and call of the live events is on exactly one invoice. */
async function check(cluster: Cluster, storage: Storage, { orgId }: TestOrganization): Promise<void> {
  cluster.now += 100 * DAY;
  const invoices = await cluster.billing().invoices(orgId);
  const live = [...cluster.recorded.values()].filter((usage) => usage.environment === 'live');
  for (const meter of METERS) {
    const lines = invoices.flatMap((invoice) => invoice.lines).filter((line) => line.meter === meter);
    const events = live.filter((usage) => meterOf(usage.use) === meter);
    expect(sum(lines.map((line) => line.milliseconds))).toBe(sum(events.map((usage) => usage.milliseconds)));
    if (meter === 'telephony') {
      const minutes = events.map((usage) => Math.ceil(usage.milliseconds / 60_000));
      expect(sum(lines.map((line) => line.units))).toBe(sum(minutes));
    } else if (isCounted(meter)) {
      const calls = events.filter((usage) => !usage.bundled).length;
      expect(sum(lines.map((line) => line.units))).toBe(calls);
      expect(sum(lines.map((line) => line.amount_micros))).toBe(0);
    } else {
      for (const line of lines) expect(line.units).toBe(Math.ceil(line.milliseconds / 1000));
    }
  }
  const periods = invoices.map((invoice) => invoice.period);
  expect(new Set(periods).size).toBe(periods.length);
  await checkLedger(storage, orgId, invoices);
  const days = await cluster.billing().usage({ orgId, from: '2026-01-01', to: '2027-12-31', groupBy: [] });
  expect(sum(days.map((line) => line.milliseconds))).toBe(
    sum([...cluster.recorded.values()].map((usage) => usage.milliseconds)),
  );
}

async function checkLedger(
  storage: Storage,
  orgId: string,
  invoices: readonly { status: string; amountMicros: number }[],
): Promise<void> {
  const issued = invoices.filter((invoice) => invoice.status === 'issued');
  const entries = await storage.db
    .selectFrom('ledger_entries')
    .select('amount_micros')
    .where('org_id', '=', orgId)
    .execute();
  expect(entries).toHaveLength(issued.length);
  expect(sum(entries.map((entry) => entry.amount_micros))).toBe(
    -sum(issued.map((invoice) => invoice.amountMicros)) + 0,
  );
}

onBothDatabases('exactly once', (databases) => {
  it('bills each second once, whatever crashes, is retried, replayed or comes late', async () => {
    const storage = await databases.open();
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 10, maxLength: 10 }), steps, async (plans, rounds) => {
        const organization = await makeOrganization(storage);
        const events = plans.map((plan, index) => eventOf(organization, plan, index));
        const cluster = new Cluster(storage, organization, events);
        for (const round of rounds) await Promise.all(round.map((step) => cluster.run(step)));
        await check(cluster, storage, organization);
      }),
      { numRuns: runs(databases.dialect === 'sqlite' ? 60 : 25) },
    );
  }, 120_000);
});
