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
});
