// @requirement Billing: A balance never falls below zero by more than one utterance.

import { expect, it } from 'vitest';
import type { AccessService, Admission, Principal } from '../../../src/foundation/access/index.ts';
import { createAccess } from '../../../src/foundation/access/index.ts';
import { type BilledUse, type BillingService, createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { ApiError } from '../../../src/foundation/platform/errors.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { fc, runs } from '../../property-tests.ts';
import { bearer, NOON } from '../access/access-service.ts';
import { DEPLOYMENT_SEALER } from '../access/deployment-sealer.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { makeOrganization, type TestOrganization } from './organization.ts';

const UTTERANCE_MS = 5_000;

interface Session {
  readonly kind: 'session';
  readonly use: 'hear.stream' | 'omni.call';
  readonly stepMs: number;
  readonly steps: number;
  /** Records usage with every step, as a stream does; otherwise once at its end, as a call does. */
  readonly writesEachStep: boolean;
}
interface Whole {
  readonly kind: 'whole';
  readonly use: 'speak.speech' | 'hear.transcription';
  readonly milliseconds: number;
  readonly fails: boolean;
}
interface Job {
  readonly kind: 'job';
  readonly declaredMs: number;
  readonly realMs: number;
}
interface Crash {
  readonly kind: 'crash';
  readonly milliseconds: number;
}
type Plan = Session | Whole | Job | Crash;

const plan: fc.Arbitrary<Plan> = fc.oneof(
  fc.record({
    kind: fc.constant('session' as const),
    use: fc.constantFrom('hear.stream' as const, 'omni.call' as const),
    stepMs: fc.integer({ min: 1, max: 10_000 }),
    steps: fc.integer({ min: 1, max: 4 }),
    writesEachStep: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('whole' as const),
    use: fc.constantFrom('speak.speech' as const, 'hear.transcription' as const),
    milliseconds: fc.integer({ min: 1, max: 60_000 }),
    fails: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('job' as const),
    declaredMs: fc.integer({ min: 1, max: 3_600_000 }),
    realMs: fc.integer({ min: 1, max: 3_600_000 }),
  }),
  fc.record({ kind: fc.constant('crash' as const), milliseconds: fc.integer({ min: 1, max: 60_000 }) }),
);

class Node {
  readonly access: AccessService;
  readonly billing: BillingService;
  readonly #storage: Storage;

  private constructor(access: AccessService, billing: BillingService, storage: Storage) {
    this.access = access;
    this.billing = billing;
    this.#storage = storage;
  }

  static async open(storage: Storage, clock: ManualClock): Promise<Node> {
    const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
    return new Node(
      await createAccess({
        storage,
        billing,
        clock,
        background: new BackgroundTasks({ clock }),
        sealer: DEPLOYMENT_SEALER,
      }),
      billing,
      storage,
    );
  }

  async run(principal: Principal, work: Plan): Promise<void> {
    try {
      if (work.kind === 'session') await this.#session(principal, work);
      else if (work.kind === 'whole') await this.#whole(principal, work);
      else if (work.kind === 'job') await this.#job(principal, work);
      // It never releases its reservation.
      else await this.#admit(principal, 'speak.speech', work.milliseconds);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 402) throw error;
    }
  }

  #admit(principal: Principal, use: BilledUse, milliseconds?: number): Promise<Admission> {
    return this.access.admit(principal, use, {
      realtime: false,
      ...(milliseconds === undefined ? {} : { milliseconds }),
    });
  }

  async #record(principal: Principal, use: BilledUse, milliseconds: number, reservationId: string | null) {
    const { orgId, projectId, keyId, environment } = principal;
    await this.#storage.transaction((transaction) =>
      this.billing.recordUsage(transaction, {
        id: newId('use'),
        use,
        orgId,
        projectId,
        keyId,
        environment,
        milliseconds,
        count: 0,
        resource: 'test',
        occurredAt: NOON,
        reservationId,
      }),
    );
  }

  /** Uses no more than was reserved, and rechecks when that is used up. */
  async #session(principal: Principal, { use, stepMs, steps, writesEachStep }: Session): Promise<void> {
    const admission = await this.#admit(principal, use);
    let open = 0;
    try {
      let promised = await admission.recheck(0);
      for (let step = 0; step < steps && promised > 0; step += 1) {
        open += Math.min(stepMs, promised);
        if (writesEachStep) {
          await this.#record(principal, use, open, admission.reservationId);
          open = 0;
        }
        promised = await admission.recheck(open);
      }
    } finally {
      if (open > 0) await this.#record(principal, use, open, admission.reservationId);
      await admission.release();
    }
  }

  async #whole(principal: Principal, { use, milliseconds, fails }: Whole): Promise<void> {
    const admission = await this.#admit(principal, use, milliseconds);
    if (!fails) await this.#record(principal, use, milliseconds, admission.reservationId);
    await admission.release();
  }

  async #job(principal: Principal, { declaredMs, realMs }: Job): Promise<void> {
    const reservationId = newId('hold');
    const order = { reservationId, resource: reservationId };
    const admission = await this.access.admit(principal, 'hear.job', {
      realtime: false,
      milliseconds: declaredMs,
      ...order,
    });
    admission.handOver();
    await admission.release();
    try {
      await this.access.confirm(principal, 'hear.job', { ...order, milliseconds: realMs, leaseMs: 60_000 });
      await this.#record(principal, 'hear.job', realMs, reservationId);
    } finally {
      await this.billing.releaseReservation(reservationId);
    }
  }
}

onBothDatabases('credit', (databases) => {
  async function cluster() {
    const database = await databases.empty();
    const clock = new ManualClock(NOON);
    const nodes: Node[] = [];
    for (let count = 0; count < 2; count += 1) {
      const storage = await openStorage(database.options);
      databases.after(() => storage.close());
      const node = await Node.open(storage, clock);
      databases.after(() => node.access.close());
      nodes.push(node);
    }
    const storage = await openStorage(database.options);
    databases.after(() => storage.close());
    return { nodes, storage };
  }

  async function keyOf(node: Node, organization: TestOrganization): Promise<Principal> {
    const { text } = await node.access.keys.create({
      ...organization,
      name: 'test',
      environment: 'live',
      scopes: ['*'],
      budgetMicros: null,
      expiresAt: null,
      createdBy: null,
    });
    return (await node.access.authorize(bearer(text), { kind: 'key' })).principal as Principal;
  }

  const balanceOf = async ({ billing }: Node, { orgId }: TestOrganization) =>
    (await billing.creditStatus({ orgId, keyId: null, environment: 'live' })).balanceMicros;

  it('is never spent twice, whatever runs at once on how many nodes', async () => {
    const { nodes, storage } = await cluster();
    const first = nodes[0] as Node;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ plan, node: fc.nat({ max: 1 }) }), { minLength: 2, maxLength: 10 }),
        fc.integer({ min: 1, max: 40_000 }),
        async (plans, credit) => {
          const organization = await makeOrganization(storage);
          await first.billing.addCredit({ orgId: organization.orgId, amountMicros: credit });
          const principal = await keyOf(first, organization);
          await Promise.all(plans.map((each) => (nodes[each.node] as Node).run(principal, each.plan)));
          expect(await balanceOf(first, organization)).toBeGreaterThanOrEqual(0n);
        },
      ),
      { numRuns: runs(databases.dialect === 'sqlite' ? 25 : 15) },
    );
  }, 120_000);

  it('goes below zero by no more than the utterance that a session had begun', async () => {
    const { nodes, storage } = await cluster();
    const [one, other] = nodes as [Node, Node];
    const organization = await makeOrganization(storage);
    const { orgId } = organization;
    await one.billing.addCredit({ orgId, amountMicros: 10_000 });
    const principal = await keyOf(one, organization);
    const late = await one.access.admit(principal, 'omni.call', { realtime: true });
    const promised = await late.recheck(0);
    const work: Session = {
      kind: 'session',
      use: 'omni.call',
      stepMs: 9_000,
      steps: 9,
      writesEachStep: false,
    };
    await Promise.all([other.run(principal, work), one.run(principal, work)]);
    await expect(late.recheck(promised + UTTERANCE_MS)).rejects.toMatchObject({ code: 'credit_exhausted' });
    const milliseconds = promised + UTTERANCE_MS;
    const { projectId, keyId, environment } = principal;
    await storage.transaction((transaction) =>
      one.billing.recordUsage(transaction, {
        id: newId('use'),
        use: 'omni.call',
        orgId,
        projectId,
        keyId,
        environment,
        milliseconds,
        count: 0,
        resource: 'test',
        occurredAt: NOON,
        reservationId: late.reservationId,
      }),
    );
    // The price is 50,000 micro-units a minute; rounding a month can add one second.
    const utteranceMicros = BigInt(Math.ceil(((UTTERANCE_MS + 1000) * 50_000) / 60_000));
    expect(await balanceOf(one, organization)).toBeGreaterThanOrEqual(-utteranceMicros);
    await late.release();
  });
});
