import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { type App, openApp } from './app.ts';

const PASSWORD = 'long enough for all';

onBothDatabases('the key of a console session', (databases) => {
  async function open(): Promise<App & { token: string }> {
    const app = await openApp(await databases.open());
    databases.after(() => app.close());
    const who = { email: 'owner@example.com', password: PASSWORD };
    await app.ask('POST', '/auth/signup', { body: who });
    return { ...app, token: (await app.ask('POST', '/auth/login', { body: who })).body.token };
  }

  const keyOf = (app: App, token: string, environment = 'sandbox') =>
    app.ask('POST', '/auth/session/key', { key: token, body: { environment } });

  it('is the same at every asking, stands in no list, and ends with the session', async () => {
    const app = await open();
    const first = (await keyOf(app, app.token)).body;
    expect((await keyOf(app, app.token)).body.api_key).toBe(first.api_key);
    expect(first.api_key).toMatch(/^svc_test_/);
    expect(first.scopes).toContain('omni:session');
    const live = (await keyOf(app, app.token, 'live')).body;
    expect(live.api_key).toMatch(/^svc_live_/);
    const me = await app.ask('GET', '/v1/me', { key: first.api_key });
    expect(me.body).toMatchObject({ environment: 'sandbox', project: { id: first.project_id } });
    const keys = (await app.ask('GET', '/v1/keys', { key: app.token })).body.data;
    expect(keys.map(({ name }: { name: string }) => name)).not.toContain('Console');
    const revoked = await app.ask('POST', `/v1/keys/${me.body.key_id}/revoke`, { key: app.token });
    expect(revoked.status).toBe(404);
    await app.ask('POST', '/auth/logout', { key: app.token });
    for (const { api_key } of [first, live])
      expect((await app.ask('GET', '/v1/me', { key: api_key })).status).toBe(401);
  }, 90_000);

  it('lives for an hour, and goes on when it is asked for again', async () => {
    const app = await open();
    const { api_key, expires_at } = (await keyOf(app, app.token)).body;
    expect(expires_at).toBe(app.clock.now() + 3_600_000);
    app.clock.advance(3_600_000);
    expect((await app.ask('GET', '/v1/me', { key: api_key })).status).toBe(401);
    await keyOf(app, app.token);
    expect((await app.ask('GET', '/v1/me', { key: api_key })).status).toBe(200);
  });

  it('has the scopes of the role, from a change of it on', async () => {
    const app = await open();
    const project = (await app.ask('GET', '/v1/projects', { key: app.token })).body.data[0].id;
    const invited = await app.ask('POST', '/v1/members/invitations', {
      key: app.token,
      body: { email: 'dev@example.com', role: 'developer', project_ids: [project] },
    });
    const path = new URL(invited.body.url).pathname;
    const joined = (await app.ask('POST', path, { body: { password: PASSWORD } })).body;
    const developer = (await keyOf(app, joined.token)).body;
    expect(developer.scopes).toContain('hear:stream');
    expect(developer.scopes).not.toContain('audit:read');
    expect(developer).toMatchObject({ environment: 'sandbox' });
    expect(developer.scopes).toContain('speak:clone');
    await app.ask('PATCH', `/v1/members/${joined.user.id}`, { key: app.token, body: { role: 'analyst' } });
    expect((await app.ask('GET', '/v1/me', { key: developer.api_key })).status).toBe(401);
    const analyst = (await keyOf(app, joined.token)).body;
    expect(analyst.scopes.every((scope: string) => scope.endsWith(':read'))).toBe(true);
    await app.ask('DELETE', `/v1/members/${joined.user.id}`, { key: app.token });
    expect((await app.ask('GET', '/v1/me', { key: analyst.api_key })).status).toBe(401);
  });

  it('opens no project that the person does not reach', async () => {
    const app = await open();
    const body = { environment: 'live', project_id: 'proj_00000000000000000000' };
    expect((await app.ask('POST', '/auth/session/key', { key: app.token, body })).status).toBe(404);
  });
});
