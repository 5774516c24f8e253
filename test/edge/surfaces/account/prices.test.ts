// @requirement Billing: Plans, quotas and prices are managed by API and command line.
// @requirement Audit log: The audit log records who did what from where, and can be exported.
import { afterEach, expect, it } from 'vitest';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { type App, openApp } from './app.ts';

const OPERATOR = 'operator-token-of-the-tests';

onBothDatabases('prices', (databases) => {
  const apps: App[] = [];
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
  });

  it('are changed by the operator alone, for months to come alone, and the log says so', async () => {
    const app = await openApp(await databases.open(), { operatorToken: OPERATOR });
    apps.push(app);
    const as = { key: OPERATOR };
    const put = (meter: string, body: object, key = OPERATOR) =>
      app.ask('PUT', `/v1/prices/${meter}`, { key, body });
    const next = { from_month: '2026-12', micros: 2_000, per: 60 };
    const { body: minted } = await app.ask('POST', '/v1/sandbox/keys');
    expect((await put('hear', next, minted.api_key)).status).toBe(403);
    expect((await app.ask('GET', '/v1/prices')).status).toBe(401);
    for (const [field, value] of [
      ['from_month', '2026-11'],
      ['from_month', '2026-13'],
      ['micros', -1],
      ['micros', 0.5],
      ['per', 0],
      ['free_units', -1],
      ['unit', 'call'],
    ] as const) {
      const refused = await put('hear', { ...next, [field]: value });
      expect([refused.status, refused.body.error.param]).toEqual([400, field]);
    }
    expect((await put('nothing', next)).status).toBe(404);
    expect((await put('hear', next)).body).toEqual({
      object: 'price',
      meter: 'hear',
      unit: 'second',
      free_units: 0,
      ...next,
    });
    expect((await put('hear', { ...next, micros: 3_000, free_units: 600 })).status).toBe(200);
    const { body } = await app.ask('GET', '/v1/prices', as);
    expect(body.data.filter(({ meter }: { meter: string }) => meter === 'hear')).toMatchObject([
      { from_month: '2026-12', micros: 3_000, per: 60, free_units: 600 },
      { from_month: '2000-01', micros: 1_000, per: 60, free_units: 0 },
    ]);
    const log = await app.storage.db
      .selectFrom('audit_entries')
      .select(['org_id', 'action', 'target', 'actor_kind', 'before', 'after'])
      .where('action', 'like', 'price.%')
      .orderBy('sequence')
      .execute();
    expect(log).toMatchObject([
      { org_id: '', action: 'price.created', target: 'hear 2026-12', actor_kind: 'operator', before: null },
      { org_id: '', action: 'price.changed', target: 'hear 2026-12', actor_kind: 'operator' },
    ]);
    expect(JSON.parse(log[1]?.before ?? '')).toMatchObject({ micros: 2_000 });
  });

  it('count from their month on, and credit that is added is told as well', async () => {
    const app = await openApp(await databases.open(), { operatorToken: OPERATOR });
    apps.push(app);
    const { billing, clock, organization, storage } = app;
    const add = { org_id: organization.orgId, amount_micros: 5_000_000, reference: 'paid' };
    for (let twice = 0; twice < 2; twice++)
      await app.ask('POST', '/v1/billing/credits', { key: OPERATOR, body: add });
    const { body } = await app.ask('PUT', '/v1/prices/hear', {
      key: OPERATOR,
      body: { from_month: '2026-12', micros: 1_000_000, per: 1 },
    });
    expect(body.micros).toBe(1_000_000);
    const log = await storage.db
      .selectFrom('audit_entries')
      .select(['action', 'target', 'after'])
      .where('org_id', '=', organization.orgId)
      .execute();
    expect(log).toMatchObject([{ action: 'credit.added', target: 'credit paid' }]);
    const minuteAt = async (id: string) => {
      await storage.transaction((transaction) =>
        billing.recordUsage(transaction, {
          ...organization,
          id,
          use: 'hear.stream',
          keyId: null,
          environment: 'live',
          milliseconds: 60_000,
          count: 0,
          resource: 'test',
          occurredAt: clock.now(),
          reservationId: null,
        }),
      );
      const [invoice] = await billing.invoices(organization.orgId);
      return invoice?.lines[0]?.amount_micros;
    };
    expect(await minuteAt('use_november')).toBe(1_000);
    clock.advance(20 * 86_400_000);
    expect(await minuteAt('use_december')).toBe(60_000_000);
  });
});
