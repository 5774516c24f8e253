/** The notification of a balance is written once, in the transaction that changes the balance. */

import { expect, it } from 'vitest';
import type { BillingNotification } from '../../../src/foundation/billing/billing-notifier.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { notifyProjects } from '../../../src/main/event-delivery.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { outboxOn } from '../webhooks/checked.ts';
import { makeOrganization, usageEvent } from './organization.ts';

const NOVEMBER_10 = Date.UTC(2026, 10, 10);

onBothDatabases('money', (databases) => {
  async function open() {
    const storage = await databases.open();
    const clock = new ManualClock(NOVEMBER_10);
    const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
    const organization = await makeOrganization(storage);
    const reported: BillingNotification[] = [];
    billing.notifier.setHandler(async (_trx, news) => void reported.push(news));
    const { orgId } = organization;
    const use = async (seconds: number) => {
      const event = usageEvent(organization, 'speak', seconds * 1000, clock.now());
      await storage.transaction((trx) => billing.recordUsage(trx, event));
      await billing.flush();
    };
    const credit = (amountMicros: number) => billing.addCredit({ orgId, amountMicros });
    return { storage, clock, billing, orgId, reported, use, credit };
  }

  it('tells that credit is low once, and again once credit was added and has run low', async () => {
    const { orgId, reported, use, credit, clock } = await open();
    await use(6);
    expect(reported).toEqual([]);
    await credit(400_000);
    await use(480);
    expect(reported).toEqual([]);
    await use(90);
    expect(reported).toEqual([
      {
        type: 'billing.credit.low',
        data: { org_id: orgId, balance_micros: 16_000, threshold_micros: 40_000 },
      },
    ]);
    await use(6);
    expect(reported).toHaveLength(1);
    clock.advance(1);
    await credit(200_000);
    await use(1);
    expect(reported).toHaveLength(1);
    await use(300);
    expect(reported).toHaveLength(2);
    expect(reported[1]).toMatchObject({ data: { threshold_micros: 20_000 } });
  });

  it('keeps nothing of what its transaction did not store', async () => {
    const { billing, reported, use, credit, storage, orgId } = await open();
    await credit(400_000);
    billing.notifier.setHandler(async () => {
      throw new Error('the outbox is away');
    });
    await expect(use(570)).rejects.toThrow('outbox');
    billing.notifier.setHandler(async (_trx, news) => void reported.push(news));
    await billing.flush();
    expect(reported).toHaveLength(1);
    const row = await storage.db
      .selectFrom('organizations')
      .select('credit_low_at')
      .where('id', '=', orgId)
      .executeTakeFirstOrThrow();
    expect(Number(row.credit_low_at)).toBe(NOVEMBER_10);
  });

  it('tells each project of an invoice, however many nodes issue it', async () => {
    const { billing, clock, orgId, storage, use } = await open();
    await use(60);
    await storage.db
      .insertInto('projects')
      .values({ id: 'proj_second', org_id: orgId, name: 'Second', created_at: 0 })
      .execute();
    const webhooks = outboxOn(storage, clock);
    billing.notifier.setHandler(notifyProjects(webhooks));
    clock.advance(Date.UTC(2026, 11, 4) - clock.now());
    await Promise.all([billing.flush(), billing.flush()]);
    expect(webhooks.reported).toHaveLength(2);
    expect(new Set(webhooks.reported.map(({ scope }) => scope.project)).size).toBe(2);
    expect(webhooks.reported[0]).toMatchObject({
      type: 'billing.invoice.issued',
      scope: { org: orgId, environment: 'live' },
      data: { org_id: orgId, period: '2026-11', amount_micros: 40_000 },
    });
  });
});
