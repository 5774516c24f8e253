// @requirement Billing: Credit is reserved in the admission's transaction and settled after the work.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { buildChild, type ChildProgram, runChild } from '../../child-program.ts';
import { long } from '../../long-tests.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { DECEMBER, LATE_RESULT, NOVEMBER, RESULTS, work } from './crash-work.ts';
import { makeOrganization, type TestOrganization } from './organization.ts';

/** The limit exceeds the commits of the work; a run that survives shows that all were tried. */
const MOST_COMMITS = 60;
const STEP = long ? 1 : 2;

let program: ChildProgram;
beforeAll(async () => {
  program = await buildChild('test/foundation/billing/crash-program.ts');
});
afterAll(() => program?.remove());

onBothDatabases('a node that is killed', (databases) => {
  const billingOf = (storage: Storage) => (when: number) =>
    createBilling({
      storage,
      clock: { now: () => when, monotonic: () => 0, after: () => () => {} },
      background: new BackgroundTasks({
        clock: { now: () => when, monotonic: () => 0, after: () => () => {} },
      }),
    });

  async function recoverAndCheck(storage: Storage, organization: TestOrganization): Promise<void> {
    await work(storage, billingOf(storage), organization);
    const invoices = await billingOf(storage)(DECEMBER).invoices(organization.orgId);
    const [open, issued] = invoices;
    const first = RESULTS.reduce((sum, milliseconds) => sum + milliseconds);
    expect(issued).toMatchObject({ period: '2026-11', status: 'issued', lines: [{ milliseconds: first }] });
    expect(open).toMatchObject({ period: '2026-12', status: 'open', lines: [{ milliseconds: LATE_RESULT }] });
    expect(invoices).toHaveLength(2);
    const { balanceMicros } = await billingOf(storage)(DECEMBER).creditStatus({
      orgId: organization.orgId,
      keyId: null,
      environment: 'live',
    });
    const cost = (milliseconds: number) => Math.floor((Math.ceil(milliseconds / 1000) * 1000) / 60);
    expect(balanceMicros).toBe(-BigInt(cost(first) + cost(LATE_RESULT)));
    const [days] = await billingOf(storage)(DECEMBER).usage({
      orgId: organization.orgId,
      from: '2026-11-01',
      to: '2026-12-31',
      groupBy: [],
    });
    expect(days?.milliseconds).toBe(first + LATE_RESULT);
  }

  it.each(['before', 'after'] as const)(
    'bills each second once, killed %s each commit',
    async (phase) => {
      const { options } = await databases.empty();
      const storage = await openStorage(options);
      try {
        let at = 0;
        for (; at < MOST_COMMITS; at += STEP) {
          const organization = await makeOrganization(storage);
          const input = { storage: options, ...organization, crash: { at, phase } };
          const ended = await runChild(program, input);
          if (ended.code === 0) break;
          expect(ended).toMatchObject({ signal: 'SIGKILL', error: '' });
          await recoverAndCheck(storage, organization);
        }
        // The five results, the roll-ups between them and the invoice each have a commit.
        expect(at).toBeGreaterThanOrEqual(RESULTS.length + 5);
        expect(at).toBeLessThan(MOST_COMMITS);
      } finally {
        await storage.close();
      }
    },
    240_000,
  );

  it('has done nothing twice when it was never killed', async () => {
    const storage = await databases.open();
    const organization = await makeOrganization(storage);
    await work(storage, billingOf(storage), organization);
    await recoverAndCheck(storage, organization);
    expect(NOVEMBER).toBeLessThan(DECEMBER);
  });
});
