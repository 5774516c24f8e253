// @requirement Account: Organizations have roles, members, invitations and sessions.
// @requirement Audit log: The audit log records who did what from where, and can be exported.
// @requirement Audit log: `doctor` verifies the hash chain.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { brokenChains, COMMAND_LINE_ACTOR } from '../../../../src/foundation/audit/index.ts';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { type App, openApp } from './app.ts';

type Role = 'owner' | 'admin' | 'developer' | 'analyst';
const PASSWORD = 'long enough for all';

onBothDatabases('people', (databases) => {
  async function open(): Promise<App & { owner: string }> {
    const app = await openApp(await databases.open());
    databases.after(() => app.close());
    await app.ask('POST', '/auth/signup', {
      body: { email: 'owner@example.com', password: PASSWORD, org_name: 'Shop' },
    });
    const { body } = await app.ask('POST', '/auth/login', {
      body: { email: 'owner@example.com', password: PASSWORD },
    });
    return { ...app, owner: body.token };
  }

  async function join(app: App & { owner: string }, role: Role, project_ids: string[] = []) {
    const email = `${role}${Math.random().toString(36).slice(2)}@example.com`;
    const invited = await app.ask('POST', '/v1/members/invitations', {
      key: app.owner,
      body: { email, role, project_ids },
    });
    expect(invited.status, JSON.stringify(invited.body)).toBe(201);
    const path = new URL(invited.body.url).pathname;
    const offer = await app.ask('GET', path);
    expect(offer.body).toMatchObject({ email, role, organization: { name: 'Shop' } });
    const joined = await app.ask('POST', path, { body: { password: PASSWORD, name: role } });
    expect(joined.status).toBe(201);
    expect((await app.ask('POST', path, { body: { password: PASSWORD } })).status).toBe(404);
    return { token: joined.body.token as string, id: joined.body.user.id as string, email };
  }

  const projectsOf = async (app: App, key: string) =>
    (await app.ask('GET', '/v1/projects', { key })).body.data.map(({ name }: { name: string }) => name);

  it('lets an analyst read, a developer make keys of their projects, and an admin manage people', async () => {
    const app = await open();
    app.clock.advance(1);
    const second = (await app.ask('POST', '/v1/projects', { key: app.owner, body: { name: 'Second' } })).body;
    const analyst = await join(app, 'analyst', [second.id]);
    const developer = await join(app, 'developer', [second.id]);
    expect(await projectsOf(app, analyst.token)).toEqual(['Second']);
    expect(await projectsOf(app, app.owner)).toEqual(['Default', 'Second']);
    const make = (key: string, body = {}) =>
      app.ask('POST', '/v1/keys', { key, body: { environment: 'live', ...body } });
    const [denied, made, elsewhere] = [
      await make(analyst.token),
      await make(developer.token),
      await make(app.owner),
    ];
    expect([denied.status, denied.body.error.param]).toEqual([403, 'role']);
    expect(made.body).toMatchObject({ project_id: second.id });
    expect(made.body.scopes).not.toContain('audit:read');
    expect(elsewhere.body.scopes).toContain('audit:read');
    // A developer cannot make a key with more scopes than their own.
    for (const scopes of [['*'], ['omni:*'], ['privacy:erase']]) {
      expect((await make(developer.token, { scopes })).status).toBe(403);
    }
    const foreign = { project_id: elsewhere.body.project_id };
    expect((await make(developer.token, foreign)).body.error).toMatchObject({
      code: 'not_found',
      param: 'project_id',
    });
    const powerful = (await make(app.owner, { project_id: second.id, scopes: ['*'] })).body.id;
    const rotate = (key: string, id: string) => app.ask('POST', `/v1/keys/${id}/rotate`, { key });
    expect((await rotate(developer.token, powerful)).status).toBe(403);
    expect((await rotate(developer.token, elsewhere.body.id)).status).toBe(404);
    expect((await rotate(developer.token, made.body.id)).status).toBe(200);
    const listed = (await app.ask('GET', '/v1/keys', { key: analyst.token })).body.data;
    expect(listed.every((key: { project_id: string }) => key.project_id === second.id)).toBe(true);
    for (const { token } of [analyst, developer]) {
      const invite = { key: token, body: { email: 'x@example.com', role: 'analyst' } };
      expect((await app.ask('POST', '/v1/members/invitations', invite)).status).toBe(403);
      expect((await app.ask('POST', '/v1/projects', { key: token, body: { name: 'x' } })).status).toBe(403);
      expect((await app.ask('GET', '/v1/audit', { key: token })).status).toBe(403);
      expect((await app.ask('GET', '/v1/members', { key: token })).status).toBe(200);
    }
  });

  it('invites 20 times a day, an address three times, and answers alike whether or not it has an account', async () => {
    const app = await open();
    const elsewhere = { email: 'elsewhere@example.com', password: PASSWORD };
    await app.ask('POST', '/auth/signup', { body: elsewhere });
    const invite = (email: string) =>
      app.ask('POST', '/v1/members/invitations', { key: app.owner, body: { email, role: 'analyst' } });
    const shape = ({ status, body }: { status: number; body: object }) => [status, Object.keys(body)];
    const known = await invite(elsewhere.email);
    expect(shape(known)).toEqual(shape(await invite('nobody@example.com')));
    const own = await invite('owner@example.com');
    expect([own.status, own.body.error.code]).toEqual([400, 'email_taken']);
    for (let more = 0; more < 2; more += 1) expect((await invite('nobody@example.com')).status).toBe(201);
    const fourth = await invite('nobody@example.com');
    expect([fourth.status, fourth.body.error.code]).toEqual([429, 'rate_limit_exceeded']);
    expect(Number(fourth.headers['retry-after'])).toBeGreaterThan(86_000);
    for (let more = 4; more < 20; more += 1)
      expect((await invite(`person${more}@example.com`)).status, String(more)).toBe(201);
    expect((await invite('late@example.com')).status).toBe(429);
    app.clock.advance(86_400_000);
    expect((await invite('late@example.com')).status).toBe(201);
    const path = new URL(known.body.url).pathname;
    const tries: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const { status } = await app.ask('POST', path, {
        body: { password: PASSWORD },
        from: '198.51.100.20',
      });
      tries.push(status);
    }
    expect(tries).toEqual([400, 400, 400, 400, 400, 429]);
  });

  it('takes a signed-in person from one organization into another when they accept, and not before', async () => {
    const app = await open();
    const person = { email: 'bo@example.com', password: PASSWORD };
    await app.ask('POST', '/auth/signup', { body: { ...person, org_name: 'Own' } });
    const signIn = async () => (await app.ask('POST', '/auth/login', { body: person })).body;
    const before = await signIn();
    const asked = { email: person.email, role: 'admin' };
    const { body } = await app.ask('POST', '/v1/members/invitations', { key: app.owner, body: asked });
    const path = `${new URL(body.url).pathname}/accept`;
    expect((await signIn()).organization.name).toBe('Own');
    expect((await app.ask('POST', path, { key: app.owner })).status).toBe(404);
    const alone = await app.ask('POST', path, { key: before.token });
    expect([alone.status, alone.body.error.code]).toEqual([409, 'last_owner']);
    const heir = { key: before.token, body: { email: 'heir@example.com', role: 'owner' } };
    const { url } = (await app.ask('POST', '/v1/members/invitations', heir)).body;
    await app.ask('POST', new URL(url).pathname, { body: { password: PASSWORD } });
    const joined = await app.ask('POST', path, { key: before.token });
    expect(joined.status).toBe(201);
    expect(joined.body.organization.name).toBe('Shop');
    expect((await app.ask('GET', '/auth/session', { key: before.token })).status).toBe(401);
    const members = (await app.ask('GET', '/v1/members', { key: joined.body.token })).body.data;
    expect(members).toContainEqual(expect.objectContaining({ email: person.email, role: 'admin' }));
    expect((await app.ask('POST', path, { key: joined.body.token })).status).toBe(404);
  });

  it('deletes an organization with the accounts of its people, and its invitations let nobody in', async () => {
    const app = await open();
    const developer = await join(app, 'developer');
    const asked = { email: 'late@example.com', role: 'admin' };
    const { url } = (await app.ask('POST', '/v1/members/invitations', { key: app.owner, body: asked })).body;
    expect((await app.ask('DELETE', '/v1/organization', { key: developer.token })).status).toBe(403);
    expect((await app.ask('DELETE', '/v1/organization', { key: app.owner })).status).toBe(200);
    const path = new URL(url).pathname;
    expect((await app.ask('GET', path)).status).toBe(404);
    expect((await app.ask('POST', path, { body: { password: PASSWORD } })).status).toBe(404);
    for (const [token, email] of [
      [app.owner, 'owner@example.com'],
      [developer.token, developer.email],
    ]) {
      expect((await app.ask('GET', '/auth/session', { key: token })).status).toBe(401);
      const again = { body: { email, password: PASSWORD } };
      expect((await app.ask('POST', '/auth/login', again)).status).toBe(401);
      expect(
        (await app.ask('POST', '/auth/signup', { body: { ...again.body, org_name: 'New' } })).status,
      ).toBe(201);
    }
  });

  it('changes and removes people at once, keeps an owner, and leaves owners to owners', async () => {
    const app = await open();
    const admin = await join(app, 'admin');
    const me = (await app.ask('GET', '/auth/session', { key: app.owner })).body.user.id;
    const change = (key: string, id: string, body: object) =>
      app.ask('PATCH', `/v1/members/${id}`, { key, body });
    expect((await change(app.owner, me, { role: 'admin' })).body.error.code).toBe('last_owner');
    expect((await app.ask('DELETE', `/v1/members/${me}`, { key: app.owner })).status).toBe(409);
    expect((await change(admin.token, admin.id, { role: 'owner' })).status).toBe(403);
    expect((await change(admin.token, me, { role: 'analyst' })).status).toBe(403);
    const invite = { key: admin.token, body: { email: 'y@example.com', role: 'owner' } };
    expect((await app.ask('POST', '/v1/members/invitations', invite)).status).toBe(403);
    const lowered = await change(app.owner, admin.id, { role: 'analyst' });
    expect(lowered.body).toMatchObject({ role: 'analyst', project_ids: [] });
    expect((await app.ask('GET', '/v1/audit', { key: admin.token })).status).toBe(403);
    expect(await projectsOf(app, admin.token)).toEqual([]);
    expect((await app.ask('DELETE', `/v1/members/${admin.id}`, { key: app.owner })).status).toBe(200);
    expect((await app.ask('GET', '/v1/members', { key: admin.token })).status).toBe(401);
    const again = await app.ask('POST', '/auth/login', {
      body: { email: admin.email, password: PASSWORD },
    });
    expect(again.status).toBe(401);
    expect((await change(app.owner, admin.id, { role: 'admin' })).status).toBe(404);
  });

  it('changes a password by the present one, and ends the person’s other sessions', async () => {
    const app = await open();
    const login = (password: string) =>
      app.ask('POST', '/auth/login', { body: { email: 'owner@example.com', password } });
    const other = (await login(PASSWORD)).body.token;
    const change = (current: string) =>
      app.ask('POST', '/auth/password/change', {
        key: app.owner,
        body: { current, password: 'another password' },
      });
    const wrong = await change('a wrong password');
    expect([wrong.status, wrong.body.error.param]).toEqual([400, 'current']);
    expect((await change(PASSWORD)).status).toBe(200);
    expect((await app.ask('GET', '/auth/session', { key: app.owner })).status).toBe(200);
    expect((await app.ask('GET', '/auth/session', { key: other })).status).toBe(401);
    expect((await login(PASSWORD)).status).toBe(401);
    expect((await login('another password')).status).toBe(200);
  });

  it('prints the operator a link that sets a password', async () => {
    const app = await open();
    const token = await app.access.passwords.issueFor('Owner@example.com', COMMAND_LINE_ACTOR);
    const reset = { body: { token, password: 'another password' } };
    expect((await app.ask('POST', '/auth/password/reset', reset)).status).toBe(200);
    expect((await app.ask('GET', '/auth/session', { key: app.owner })).status).toBe(401);
    await expect(app.access.passwords.issueFor('x@example.com', COMMAND_LINE_ACTOR)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('deletes one’s own account, unless the organization would be left without an owner', async () => {
    const app = await open();
    const admin = await join(app, 'admin');
    const alone = await app.ask('DELETE', '/auth/account', { key: app.owner });
    expect([alone.status, alone.body.error.code]).toEqual([409, 'last_owner']);
    expect((await app.ask('DELETE', '/auth/account', { key: admin.token })).body).toEqual({
      id: admin.id,
      object: 'user',
      deleted: true,
    });
    expect((await app.ask('GET', '/auth/session', { key: admin.token })).status).toBe(401);
    const again = { email: admin.email, password: PASSWORD };
    expect((await app.ask('POST', '/auth/login', { body: again })).status).toBe(401);
    expect((await app.ask('POST', '/auth/signup', { body: again })).status).toBe(201);
  });

  it('lists a person’s sessions and ends the one that is named', async () => {
    const app = await open();
    const login = { body: { email: 'owner@example.com', password: PASSWORD }, from: '198.51.100.9' };
    const other = (await app.ask('POST', '/auth/login', { ...login, headers: { 'user-agent': 'Lost/1' } }))
      .body.token;
    const sessions = (await app.ask('GET', '/auth/sessions', { key: app.owner })).body.data;
    expect(sessions).toHaveLength(2);
    const lost = sessions.find((session: { agent: string }) => session.agent === 'Lost/1');
    expect(lost).toMatchObject({ current: false, address: '198.51.100.9' });
    expect((await app.ask('DELETE', `/auth/sessions/${lost.id}`, { key: app.owner })).status).toBe(200);
    expect((await app.ask('GET', '/auth/session', { key: other })).status).toBe(401);
    expect((await app.ask('DELETE', '/auth/sessions/sess_x', { key: app.owner })).status).toBe(404);
  });

  it('writes down who changed what, in a chain that shows where it was touched', async () => {
    const app = await open();
    const key = (await app.ask('POST', '/v1/keys', { key: app.owner, body: { environment: 'live' } })).body;
    const budget = { budget_micros: 5 };
    const patched = await app.ask('PATCH', `/v1/keys/${key.id}`, { key: app.owner, body: budget });
    const orgId = (await app.ask('GET', '/v1/me', { key: key.api_key })).body.org.id;
    await app.access.retention.change(orgId, { transcript: 30 });
    const page = (await app.ask('GET', '/v1/audit?limit=2', { key: app.owner })).body;
    expect(page.data.map((entry: { action: string }) => entry.action)).toEqual([
      'retention.changed',
      'key.changed',
    ]);
    expect(page.data[1]).toMatchObject({
      actor: { kind: 'user', id: expect.stringMatching(/^usr_/) },
      from: '203.0.113.7',
      target: key.id,
      before: { budget_micros: null },
      after: { budget_micros: 5 },
      request_id: patched.headers['x-request-id'],
    });
    const next = await app.ask('GET', `/v1/audit?cursor=${page.next_cursor}`, { key: app.owner });
    expect(next.body.data[0]).toMatchObject({ action: 'key.created', after: { name: '' } });
    expect(JSON.stringify(next.body)).not.toContain(key.api_key.slice(20));
    const later = await app.ask('GET', `/v1/audit?since=${app.clock.now() + 1}`, { key: key.api_key });
    expect(later.body.data).toEqual([]);
    // A key sees its own project and environment; a live key also sees what belongs to the organization.
    const sandbox = (
      await app.ask('POST', '/v1/keys', { key: app.owner, body: { environment: 'sandbox', scopes: ['*'] } })
    ).body;
    const seenBy = async (text: string) =>
      (await app.ask('GET', '/v1/audit', { key: text })).body.data.map(
        ({ action, target }: Record<string, string>) => `${action} ${target}`,
      );
    expect(await seenBy(sandbox.api_key)).not.toContain(`key.created ${key.id}`);
    expect(await seenBy(sandbox.api_key)).toContain(`key.created ${sandbox.id}`);
    expect(await seenBy(key.api_key)).toContain(`retention.changed ${orgId}`);
    expect(await seenBy(key.api_key)).not.toContain(`key.created ${sandbox.id}`);
    const exported = await app.server.rest.inject({
      url: '/v1/audit/export',
      headers: { authorization: `Bearer ${app.owner}` },
    });
    const lines = exported.body.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).sequence)).toEqual(lines.map((_line, index) => index + 1));
    const { db } = app.storage;
    expect(await brokenChains(db)).toEqual([]);
    await expect(db.updateTable('audit_entries').set({ target: 'x' }).execute()).rejects.toThrow(
      'append-only',
    );
    await expect(db.deleteFrom('audit_entries').execute()).rejects.toThrow('append-only');
    // An attacker with the whole database can drop the triggers; the hash chain still shows the change.
    const drop =
      databases.dialect === 'sqlite'
        ? 'drop trigger audit_entries_no_update'
        : 'drop trigger audit_entries_stand on audit_entries';
    await sql.raw(drop).execute(db);
    await db.updateTable('audit_entries').set({ source: 'x' }).where('sequence', '=', 2).execute();
    expect(await brokenChains(db)).toContainEqual({ orgId, sequence: 2 });
  });

  it('keeps the chain whole under changes at once', async () => {
    const app = await open();
    await Promise.all(
      Array.from({ length: 12 }, (_each, number) =>
        app.ask('POST', '/v1/projects', { key: app.owner, body: { name: String(number) } }),
      ),
    );
    expect(await brokenChains(app.storage.db)).toEqual([]);
    const { body } = await app.ask('GET', '/v1/audit?limit=100', { key: app.owner });
    expect(body.data).toHaveLength(13);
  });
});
