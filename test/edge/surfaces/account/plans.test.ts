// @requirement Billing: Plans, quotas and prices are managed by API and command line.
import { afterEach, expect, it } from 'vitest';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { type App, openApp } from './app.ts';

const OPERATOR = 'operator-token-of-the-tests';

onBothDatabases('plans', (databases) => {
  const apps: App[] = [];
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
  });

  it('are listed, changed, made and given by the operator alone', async () => {
    const app = await openApp(await databases.open(), { operatorToken: OPERATOR });
    apps.push(app);
    const { body: minted } = await app.ask('POST', '/v1/sandbox/keys');
    const as = { key: OPERATOR };
    expect((await app.ask('GET', '/v1/plans', { key: minted.api_key })).status).toBe(403);
    expect((await app.ask('PUT', '/v1/plans/sandbox', { body: { rps: 1_000 } })).status).toBe(401);
    const { body } = await app.ask('GET', '/v1/plans', as);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['sandbox', 'scale', 'standard']);
    const changed = await app.ask('PUT', '/v1/plans/sandbox', {
      ...as,
      body: { daily_cap_units: 60, quota_units: null },
    });
    expect(changed.body).toMatchObject({ id: 'sandbox', rps: 5, daily_cap_units: 60, quota_units: null });
    const made = await app.ask('PUT', '/v1/plans/large', {
      ...as,
      body: { concurrency: 2_000, quota_units: 9 },
    });
    expect(made.body).toMatchObject({ id: 'large', rps: 25, concurrency: 2_000, quota_units: 9 });
    for (const bad of [{ rps: 0 }, { rps: 1.5 }, { daily_cap_units: -1 }, { id: 'other' }]) {
      expect((await app.ask('PUT', '/v1/plans/sandbox', { ...as, body: bad })).status).toBe(400);
    }
    expect((await app.ask('PUT', '/v1/plans/No%20Name', { ...as, body: {} })).status).toBe(404);
    const { body: me } = await app.ask('GET', '/v1/me', { key: minted.api_key });
    const given = (plan: string, org = me.org.id) =>
      app.ask('PUT', `/v1/organizations/${org}/plan`, { ...as, body: { plan } });
    expect((await given('large')).body).toEqual({ id: me.org.id, plan: 'large' });
    const log = await app.storage.db
      .selectFrom('audit_entries')
      .select(['org_id', 'action', 'target', 'actor_kind', 'before', 'after'])
      .where('action', 'like', 'plan.%')
      .orderBy('sequence')
      .execute();
    expect(log).toMatchObject([
      { org_id: '', action: 'plan.changed', target: 'sandbox', actor_kind: 'operator' },
      { org_id: '', action: 'plan.created', target: 'large', actor_kind: 'operator', before: null },
    ]);
    const [first] = log;
    expect(JSON.parse(first?.before ?? '')).toMatchObject({ daily_cap_units: 3600 });
    expect(JSON.parse(first?.after ?? '')).toMatchObject({ daily_cap_units: 60 });
    expect((await given('none')).status).toBe(404);
    expect((await given('large', 'org_none')).status).toBe(404);
  });

  it('are given with entitlements to organizations that the operator alone finds', async () => {
    const app = await openApp(await databases.open(), { operatorToken: OPERATOR });
    apps.push(app);
    const as = { key: OPERATOR };
    const { body: minted } = await app.ask('POST', '/v1/sandbox/keys');
    expect((await app.ask('GET', '/v1/organizations', { key: minted.api_key })).status).toBe(403);
    expect((await app.ask('GET', '/v1/organizations')).status).toBe(401);
    const made = [];
    for (const name of ['Anna & Co', '100 % Bread', 'Anna_Bakery'])
      made.push(
        await app.storage.transaction(
          async (trx) =>
            (await app.access.accounts.makeOrganization(trx, { name, kind: 'account', referral: null }))
              .organization,
        ),
      );
    const found = async (query: string) =>
      (await app.ask('GET', `/v1/organizations?${query}`, as)).body.data.map(
        ({ name }: { name: string }) => name,
      );
    expect((await found('')).sort()).toEqual(['100 % Bread', 'Anna & Co', 'Anna_Bakery', 'Test']);
    expect((await found('search=anna')).sort()).toEqual(['Anna & Co', 'Anna_Bakery']);
    expect(await found('search=%25')).toEqual(['100 % Bread']);
    expect(await found('search=_')).toEqual(['Anna_Bakery']);
    expect(await found(`search=${made[0]?.id}`)).toEqual(['Anna & Co']);
    await app.ask('PUT', `/v1/organizations/${made[0]?.id}/entitlements/telephony`, as);
    const { body: page } = await app.ask('GET', `/v1/organizations?search=${made[0]?.id}`, as);
    expect(page).toEqual({
      object: 'list',
      data: [
        {
          object: 'organization',
          id: made[0]?.id,
          name: 'Anna & Co',
          plan: 'standard',
          entitlements: ['telephony'],
          created_at: expect.any(Number),
        },
      ],
      next_cursor: null,
    });
    const first = await app.ask('GET', '/v1/organizations?limit=2', as);
    const rest = await app.ask('GET', `/v1/organizations?limit=2&cursor=${first.body.next_cursor}`, as);
    expect(new Set([...first.body.data, ...rest.body.data].map(({ id }: { id: string }) => id)).size).toBe(4);
    expect(rest.body.next_cursor).toBeNull();
  });
});
