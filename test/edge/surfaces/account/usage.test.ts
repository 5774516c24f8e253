import { expect, it } from 'vitest';
import { usageEvent } from '../../../foundation/billing/organization.ts';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { accountsOn, OPERATOR, SIGNUP } from './accounts.ts';

onBothDatabases('usage of an account', (databases) => {
  const { open, signIn } = accountsOn(databases);

  it('shows usage and invoices to the organization, and takes credit from the operator alone', async () => {
    const app = await open();
    const user = await signIn(app);
    const key = (await app.ask('POST', '/v1/keys', { key: user, body: { environment: 'live' } })).body;
    const me = (await app.ask('GET', '/v1/me', { key: key.api_key })).body;
    const body = { org_id: me.org.id, amount_micros: 2_000_000, reference: 'p1' };
    expect((await app.ask('POST', '/v1/billing/credits', { key: user, body })).status).toBe(403);
    expect((await app.ask('POST', '/v1/billing/credits', { key: key.api_key, body })).status).toBe(403);
    const credit = await app.ask('POST', '/v1/billing/credits', { key: OPERATOR, body });
    expect(credit.status).toBe(201);
    expect(credit.body).toMatchObject({
      object: 'credit',
      amount_micros: 2_000_000,
      balance_micros: 2_000_000,
    });
    const again = await app.ask('POST', '/v1/billing/credits', { key: OPERATOR, body });
    expect(again.body).toEqual(credit.body);
    const conflict = await app.ask('POST', '/v1/billing/credits', {
      key: OPERATOR,
      body: { ...body, amount_micros: 1 },
    });
    expect([conflict.status, conflict.body.error.code]).toEqual([409, 'idempotency_conflict']);
    const organization = { orgId: me.org.id, projectId: me.project.id };
    await app.storage.transaction((transaction) =>
      app.billing.recordUsage(
        transaction,
        usageEvent(organization, 'omni', 61_500, app.clock.now(), { keyId: key.id }),
      ),
    );
    for (const reader of [user, key.api_key]) {
      const usage = await app.ask('GET', '/v1/billing/usage', { key: reader });
      expect(usage.body.data).toEqual([
        {
          object: 'usage',
          day: '2026-11-21',
          project_id: null,
          key_id: key.id,
          meter: 'omni',
          environment: 'live',
          milliseconds: 61_500,
          call_minutes: 0,
          calls: 0,
        },
      ]);
      const invoices = await app.ask('GET', '/v1/billing/invoices', { key: reader });
      expect(invoices.body.data).toMatchObject([
        { period: '2026-11', status: 'open', amount_micros: 51_666, lines: [{ meter: 'omni', units: 62 }] },
      ]);
    }
    expect((await app.ask('GET', '/v1/me', { key: key.api_key })).body.credit.balance_micros).toBe(1_948_334);
    const day = await app.ask('GET', '/v1/billing/usage?from=2026-02-30', { key: user });
    expect([day.status, day.body.error.param]).toEqual([400, 'from']);
    const other = await app.makeKey();
    expect((await app.ask('GET', '/v1/billing/usage', { key: other.text })).body.data).toEqual([]);
  });

  it('tells projects apart, also what their own standing used', async () => {
    const app = await open();
    const user = await signIn(app);
    const first = (await app.ask('POST', '/v1/keys', { key: user, body: { environment: 'live' } })).body;
    const me = (await app.ask('GET', '/v1/me', { key: first.api_key })).body;
    const second = (await app.ask('POST', '/v1/projects', { key: user, body: { name: 'Second' } })).body;
    const record = (projectId: string, keyId: string | null, milliseconds: number) =>
      app.storage.transaction((transaction) =>
        app.billing.recordUsage(
          transaction,
          usageEvent({ orgId: me.org.id, projectId }, 'omni', milliseconds, app.clock.now(), { keyId }),
        ),
      );
    await record(me.project.id, first.id, 1000);
    await record(me.project.id, null, 200);
    await record(second.id, null, 30);
    const usage = async (key: string, query: string) =>
      await app.ask('GET', `/v1/billing/usage?${query}`, { key });
    const sums = async (key: string, query: string) =>
      (await usage(key, query)).body.data.map((line: { project_id: string | null; milliseconds: number }) => [
        line.project_id,
        line.milliseconds,
      ]);
    const both = [
      [me.project.id, 1200],
      [second.id, 30],
    ];
    expect((await sums(user, 'group_by=project')).sort()).toEqual(both.sort());
    expect(await sums(user, 'group_by=meter')).toEqual([[null, 1230]]);
    expect(await sums(user, `group_by=day&project_id=${second.id}`)).toEqual([[null, 30]]);
    expect(await sums(first.api_key, 'group_by=project')).toEqual([[me.project.id, 1200]]);
    const foreign = await usage(first.api_key, `project_id=${second.id}`);
    expect([foreign.status, foreign.body.error.param]).toEqual([404, 'project_id']);
    const invited = await app.ask('POST', '/v1/members/invitations', {
      key: user,
      body: { email: 'reads@example.com', role: 'analyst', project_ids: [second.id] },
    });
    const { token } = (
      await app.ask('POST', new URL(invited.body.url).pathname, { body: { password: SIGNUP.password } })
    ).body;
    expect(await sums(token, 'group_by=project')).toEqual([[second.id, 30]]);
    expect((await usage(token, `project_id=${me.project.id}`)).status).toBe(404);
  });

  it('writes no credential and no password into the log', async () => {
    const app = await open();
    const user = await signIn(app);
    const { body } = await app.ask('POST', '/v1/keys', { key: user, body: { environment: 'live' } });
    await app.ask('GET', `/v1/me?api_key=${body.api_key}`);
    const url = `/v1/nowhere/${body.api_key}?api_key=${body.api_key}`;
    const nowhere = await app.ask('GET', url, { key: body.api_key });
    expect(nowhere.status).toBe(404);
    expect(JSON.stringify(nowhere)).not.toContain(body.api_key);
    await app.ask('POST', '/auth/login', { body: { ...SIGNUP, password: 'my secret password' } });
    await app.ask('POST', `/v1/keys/${body.id}/rotate`, { headers: { 'x-api-key': user } });
    expect(app.logged()).toContain('/v1/me');
    for (const secret of [user, body.api_key, 'my secret password', SIGNUP.password]) {
      expect(app.logged()).not.toContain(secret);
      if (secret.startsWith('svc_')) expect(app.logged()).not.toContain(secret.slice(30));
    }
  });
});
