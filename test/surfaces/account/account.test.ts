import { afterEach, expect, it } from 'vitest';
import type { Principal } from '../../../src/access/contract.ts';
import { signReferral } from '../../../src/access/referral.ts';
import { SCOPES } from '../../../src/access/scopes.ts';
import { usageEvent } from '../../billing/organization.ts';
import { onBothDatabases } from '../../storage/databases.ts';
import { type App, openApp } from './app.ts';

const OPERATOR = 'operator-token-of-the-tests';
const SIGNUP = { email: 'Ana@Example.com', password: 'long enough' };
const DAY = 86_400_000;

onBothDatabases('account', (databases) => {
  const apps: App[] = [];
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
  });
  async function open(options: Parameters<typeof openApp>[1] = {}) {
    const app = await openApp(await databases.open(), { operatorToken: OPERATOR, ...options });
    apps.push(app);
    return app;
  }
  async function signIn(app: App): Promise<string> {
    await app.ask('POST', '/auth/signup', { body: SIGNUP });
    const { body } = await app.ask('POST', '/auth/login', { body: SIGNUP });
    return body.token;
  }

  it('makes an organization, a project, a user and a sandbox key that may clone', async () => {
    const app = await open();
    const made = await app.ask('POST', '/auth/signup', {
      body: { ...SIGNUP, name: 'Ana', org_name: 'Ana & Co' },
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      organization: { id: expect.stringMatching(/^org_\w{20}$/), name: 'Ana & Co' },
      project: { id: expect.stringMatching(/^proj_\w{20}$/), name: 'Default' },
      user: { id: expect.stringMatching(/^usr_\w{20}$/), email: 'ana@example.com', name: 'Ana' },
      api_key: expect.stringMatching(/^svc_test_[0-9A-Za-z]+$/),
    });
    const me = await app.ask('GET', '/v1/me', { key: made.body.api_key });
    expect(me.body).toEqual({
      object: 'identity',
      org: made.body.organization,
      project: made.body.project,
      key_id: expect.stringMatching(/^key_\w{20}$/),
      environment: 'sandbox',
      scopes: [...SCOPES],
      limits: { rps: 5, burst: 10, concurrency: 2, quota: null, storage_bytes: 1_000_000_000 },
      storage: { used_bytes: 0 },
      credit: {
        balance_micros: 0,
        held_micros: 0,
        budget_micros: null,
        daily_used: 0,
        daily_held: 0,
        daily_cap: 3600,
      },
    });
    expect(me.headers['ratelimit-policy']).toBe('"key";q=10;w=2');
  });

  it('holds signup to its field rules', async () => {
    const app = await open();
    const long = (length: number) => 'a'.repeat(length);
    const bad: [object, string][] = [
      [{ password: 'long enough' }, 'email'],
      [{ email: 'ana@example.com' }, 'password'],
      [{ email: 'no address', password: 'long enough' }, 'email'],
      [{ email: `${long(309)}@example.com`, password: 'long enough' }, 'email'],
      [{ email: 'ana@example.com', password: 'seven77' }, 'password'],
      [{ ...SIGNUP, name: long(201) }, 'name'],
      [{ ...SIGNUP, org_name: long(201) }, 'org_name'],
      [{ ...SIGNUP, referral_token: long(2049) }, 'referral_token'],
      [{ ...SIGNUP, surprise: 1 }, 'surprise'],
    ];
    for (const [body, param] of bad) {
      const answer = await app.ask('POST', '/auth/signup', { body });
      expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
        400,
        'invalid_request',
        param,
      ]);
      expect(answer.headers['content-type']).toContain('application/problem+json');
    }
    const widest = { ...SIGNUP, name: long(200), org_name: long(200), referral_token: long(2048) };
    expect((await app.ask('POST', '/auth/signup', { body: widest })).status).toBe(201);
    const again = await app.ask('POST', '/auth/signup', { body: { ...SIGNUP, email: 'ANA@example.COM' } });
    expect([again.status, again.body.error.code]).toEqual([400, 'email_taken']);
  });

  it('attributes a good referral and lets no other stand in the way', async () => {
    const app = await open({ keySecret: 'a secret for the referrals of this test' });
    const secret = Buffer.from('a secret for the referrals of this test');
    const good = signReferral(secret, { source: 'partner', expiresAt: app.clock.now() + DAY });
    const tokens = [
      good,
      signReferral(secret, { source: 'late', expiresAt: app.clock.now() - 1 }),
      signReferral(Buffer.from('another'), { source: 'forged', expiresAt: app.clock.now() + DAY }),
      `${good.slice(0, -2)}xx`,
      'nonsense',
    ];
    for (const [index, referral_token] of tokens.entries()) {
      const body = { email: `user${index}@example.com`, password: 'long enough', referral_token };
      expect((await app.ask('POST', '/auth/signup', { body })).status).toBe(201);
    }
    const rows = await app.storage.db
      .selectFrom('organizations')
      .select('referral')
      .where('referral', 'is not', null)
      .execute();
    expect(rows.map((row) => JSON.parse(row.referral as string).source)).toEqual(['partner']);
  });

  it('creates five accounts for a source network in a rolling day, and says so when it is more', async () => {
    const app = await open();
    const sign = (index: number, from: string) =>
      app.ask('POST', '/auth/signup', {
        body: { email: `user${index}@example.com`, password: 'long enough' },
        from,
      });
    for (let index = 0; index < 5; index += 1) {
      expect((await sign(index, `203.0.113.${index}`)).status).toBe(201);
      app.clock.advance(3_600_000);
    }
    const refused = await sign(6, '::ffff:203.0.113.200');
    expect(refused.status).toBe(429);
    expect(refused.body.error.code).toBe('rate_limit_exceeded');
    expect(refused.body.error.message).toMatch(/5 accounts.*24 hours/);
    expect(refused.headers['retry-after']).toBe(String(19 * 3600));
    expect((await sign(7, '203.0.114.1')).status).toBe(201);
    for (let index = 10; index < 15; index += 1) {
      expect((await sign(index, `2001:db8:1:${index}::1`)).status).toBe(201);
    }
    expect((await sign(15, '2001:db8:1:ffff::1')).status).toBe(429);
    expect((await sign(16, '2001:db8:2::1')).status).toBe(201);
    app.clock.advance(19 * 3_600_000);
    expect((await sign(17, '203.0.113.9')).status).toBe(201);
    expect((await sign(18, '203.0.113.9')).status).toBe(429);
  });

  it('gives the last account of a network to one of many that come at once', async () => {
    const app = await open();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        app.ask('POST', '/auth/signup', {
          body: { email: `user${index}@example.com`, password: 'long enough' },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 429, 429, 429]);
  });

  it('mints two sandbox keys a day for a network, with every scope but cloning, for 24 hours', async () => {
    const app = await open();
    const first = await app.ask('POST', '/v1/sandbox/keys');
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      object: 'api_key',
      api_key: expect.stringMatching(/^svc_test_/),
      scopes: SCOPES.filter((scope) => scope !== 'speak:clone'),
      expires_at: app.clock.now() + DAY,
    });
    app.clock.advance(1000);
    const second = await app.ask('POST', '/v1/sandbox/keys', { from: '203.0.113.250' });
    expect(second.status).toBe(201);
    const third = await app.ask('POST', '/v1/sandbox/keys');
    expect([third.status, third.body.error.code]).toEqual([429, 'sandbox_limit_reached']);
    expect(third.headers['retry-after']).toBe(String(24 * 3600 - 1));
    const me = await app.ask('GET', '/v1/me', { key: first.body.api_key });
    const other = await app.ask('GET', '/v1/me', { key: second.body.api_key });
    expect(me.body.org.id).not.toBe(other.body.org.id);
    app.clock.advance(DAY - 1000);
    expect((await app.ask('GET', '/v1/me', { key: first.body.api_key })).body.error.code).toBe(
      'unauthorized',
    );
    expect((await app.ask('POST', '/v1/sandbox/keys')).status).toBe(201);
  });

  it('signs in with the right password alone, and never says which part was wrong', async () => {
    const app = await open();
    await app.ask('POST', '/auth/signup', { body: SIGNUP });
    const good = await app.ask('POST', '/auth/login', { body: { ...SIGNUP, email: 'ANA@example.com' } });
    expect(good.status).toBe(200);
    expect(good.body).toMatchObject({ object: 'session', expires_at: app.clock.now() + 30 * DAY });
    expect(good.headers['set-cookie']).toMatch(
      /^trunkline_session=svc_ses_\w+; .*HttpOnly; SameSite=Strict.*; Secure$/,
    );
    const wrong = await app.ask('POST', '/auth/login', { body: { ...SIGNUP, password: 'wrong password' } });
    const unknown = await app.ask('POST', '/auth/login', { body: { ...SIGNUP, email: 'who@example.com' } });
    expect(wrong.status).toBe(401);
    expect(wrong.body).toEqual(unknown.body);
    for (let attempt = 0; attempt < 30; attempt += 1) {
      const answer = await app.ask('POST', '/auth/login', {
        body: { ...SIGNUP, password: `guess ${attempt}` },
      });
      expect(answer.status).toBe(401);
    }
  });

  it('ends a session at logout, after its lifetime and when it lies idle', async () => {
    const app = await open();
    const token = await signIn(app);
    const session = await app.ask('GET', '/auth/session', { key: token });
    expect(session.body).toMatchObject({ object: 'session', user: { email: 'ana@example.com' } });
    expect((await app.ask('GET', '/v1/keys', { key: token })).status).toBe(200);
    expect((await app.ask('POST', '/auth/logout', { key: token })).status).toBe(200);
    expect((await app.ask('GET', '/v1/keys', { key: token })).body.error.code).toBe('unauthorized');
    const idle = await signIn(app);
    app.clock.advance(7 * DAY);
    expect((await app.ask('GET', '/v1/keys', { key: idle })).body.error.code).toBe('unauthorized');
    const old = await signIn(app);
    for (let day = 0; day < 29; day += 1) {
      app.clock.advance(DAY);
      expect((await app.ask('GET', '/v1/keys', { key: old })).status).toBe(200);
    }
    app.clock.advance(DAY);
    expect((await app.ask('GET', '/v1/keys', { key: old })).body.error.code).toBe('unauthorized');
  });

  it('rotates the cookie of a session that is used, and kills the session when the old one comes back', async () => {
    const app = await open();
    const old = await signIn(app);
    const use = (token: string, headers = {}) =>
      app.ask('GET', '/v1/keys', { headers: { cookie: `trunkline_session=${token}`, ...headers } });
    expect((await use(old)).headers['set-cookie']).toBeUndefined();
    app.clock.advance(15 * 60_000);
    const answers = await Promise.all([use(old), use(old)]);
    const offered = answers.map(
      ({ headers }) => /trunkline_session=(\w+);/.exec(String(headers['set-cookie']))?.[1],
    );
    expect(offered[0]).toBeDefined();
    expect(offered[0]).toBe(offered[1]);
    const fresh = offered[0] as string;
    expect(fresh).not.toBe(old);
    // The answer that brought the new one may be lost: the old one is good until the new one is seen.
    expect((await use(old)).status).toBe(200);
    expect((await use(fresh)).status).toBe(200);
    expect((await use(old)).status).toBe(200);
    app.clock.advance(60_000);
    expect((await use(old)).body.error.code).toBe('unauthorized');
    expect((await use(fresh)).body.error.code).toBe('unauthorized');
  });

  it('takes the session cookie from its own pages alone', async () => {
    const app = await open();
    const cookie = `trunkline_session=${await signIn(app)}`;
    const from = async (origin: string) =>
      (await app.ask('GET', '/v1/keys', { headers: { cookie, origin } })).body.error?.code;
    expect(await from('https://voice.example')).toBeUndefined();
    expect(await from('https://evil.example')).toBe('origin_not_allowed');
    expect(await from('null')).toBe('origin_not_allowed');
  });

  it('refreshes a session on demand', async () => {
    const app = await open();
    const old = await signIn(app);
    const { body } = await app.ask('POST', '/auth/refresh', { key: old });
    expect(body.token).not.toBe(old);
    expect((await app.ask('GET', '/v1/keys', { key: body.token })).status).toBe(200);
    app.clock.advance(60_000);
    expect((await app.ask('GET', '/v1/keys', { key: old })).status).toBe(401);
  });

  it('creates, lists, limits, rotates and revokes keys', async () => {
    const app = await open();
    const user = await signIn(app);
    const made = await app.ask('POST', '/v1/keys', {
      key: user,
      body: { environment: 'live', name: 'phones', scopes: ['hear:*', 'voice:synthesize'], budget_micros: 5 },
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      object: 'api_key',
      name: 'phones',
      environment: 'live',
      scopes: ['hear:*', 'speak:synthesize'],
      budget_micros: 5,
      revoked_at: null,
      api_key: expect.stringMatching(/^svc_live_/),
    });
    const { id, api_key: text } = made.body;
    expect((await app.ask('GET', '/v1/me', { key: text })).body.credit.budget_micros).toBe(5);
    const changed = await app.ask('PATCH', `/v1/keys/${id}`, { key: user, body: { budget_micros: null } });
    expect(changed.body.budget_micros).toBeNull();
    const rotated = await app.ask('POST', `/v1/keys/${id}/rotate`, { key: user });
    expect((await app.ask('GET', '/v1/me', { key: text })).status).toBe(401);
    expect((await app.ask('GET', '/v1/me', { key: rotated.body.api_key })).status).toBe(200);
    app.clock.advance(1);
    for (let count = 0; count < 3; count += 1) {
      await app.ask('POST', '/v1/keys', { key: user, body: { environment: 'sandbox' } });
    }
    const page = await app.ask('GET', '/v1/keys?limit=3', { key: user });
    expect(page.body.data).toHaveLength(3);
    const rest = await app.ask('GET', `/v1/keys?limit=3&cursor=${page.body.next_cursor}`, { key: user });
    expect(rest.body.data.map((key: { id: string }) => key.id)).toContain(id);
    expect(rest.body.next_cursor).toBeNull();
    expect(JSON.stringify([page.body, rest.body])).not.toContain('"api_key":"svc');
    const revoked = await app.ask('POST', `/v1/keys/${id}/revoke`, { key: user });
    expect(revoked.body.revoked_at).toBe(app.clock.now());
    const after = await app.ask('GET', '/v1/me', { key: rotated.body.api_key });
    expect([after.status, after.body.error.code]).toEqual([401, 'unauthorized']);
    expect((await app.ask('POST', `/v1/keys/${id}/rotate`, { key: user })).status).toBe(400);
  });

  it('refuses keys with unknown scopes, a past expiry or unknown fields', async () => {
    const app = await open();
    const user = await signIn(app);
    const bad: [object, string][] = [
      [{ environment: 'live', scopes: ['hear:everything'] }, 'scopes'],
      [{ environment: 'live', scopes: [] }, 'scopes'],
      [{ environment: 'staging' }, 'environment'],
      [{ environment: 'live', expires_at: 1 }, 'expires_at'],
      [{ environment: 'live', budget_micros: -1 }, 'budget_micros'],
      [{ environment: 'live', budget_micros: 0.5 }, 'budget_micros'],
      [{ environment: 'live', key: 'mine' }, 'key'],
    ];
    for (const [body, param] of bad) {
      const answer = await app.ask('POST', '/v1/keys', { key: user, body });
      expect([answer.status, answer.body.error.param]).toEqual([400, param]);
    }
  });

  it('answers another organization’s key as an unknown one', async () => {
    const app = await open();
    const user = await signIn(app);
    const foreign = await app.makeKey();
    for (const path of ['rotate', 'revoke']) {
      const one = await app.ask('POST', `/v1/keys/${foreign.id}/${path}`, { key: user });
      const none = await app.ask('POST', `/v1/keys/key_00000000000000000000/${path}`, { key: user });
      expect(one.status).toBe(404);
      const { request_id: _one, ...body } = one.body;
      const { request_id: _none, ...expected } = none.body;
      expect(body).toEqual(expected);
    }
    expect((await app.ask('GET', '/v1/me', { key: foreign.text })).status).toBe(200);
  });

  it('opens one session with a browser token, from its origin, while that is allowed', async () => {
    const app = await open();
    const user = await signIn(app);
    const key = (await app.ask('POST', '/v1/keys', { key: user, body: { environment: 'sandbox' } })).body
      .api_key;
    const mint = (origin: string, more = {}) =>
      app.ask('POST', '/v1/omni/sessions', { key, body: { origin, ...more } });
    expect((await mint('https://shop.example')).body.error.code).toBe('origin_not_allowed');
    const put = await app.ask('PUT', '/v1/omni/origins', {
      key: user,
      body: { origins: ['https://SHOP.example/', 'http://localhost:3000'] },
    });
    expect(put.body).toEqual({
      object: 'omni.origins',
      origins: ['http://localhost:3000', 'https://shop.example'],
    });
    expect((await app.ask('GET', '/v1/omni/origins', { key: user })).body).toEqual(put.body);
    for (const origin of ['http://shop.example', 'https://shop.example/path', 'shop.example', '*']) {
      const bad = await app.ask('PUT', '/v1/omni/origins', { key: user, body: { origins: [origin] } });
      expect([bad.status, bad.body.error.param]).toEqual([400, 'origins.0']);
    }
    const agent = await mint('https://shop.example', { agent_id: 'a\u0007' });
    expect([agent.status, agent.body.error.code]).toEqual([400, 'invalid_agent_id']);
    app.clock.advance(2000);
    const minted = await mint('https://shop.example', { agent_id: 'agt_1', ttl_s: 30 });
    expect(minted.status).toBe(201);
    expect(minted.body).toMatchObject({
      object: 'omni.session',
      expires_at: app.clock.now() + 30_000,
      url: 'wss://voice.example/v1/omni?format=pcm16&rate=16000&agent_id=agt_1',
    });
    const called = await mint('https://shop.example', { agent_id: 'agt_1', transport: 'webrtc' });
    expect(called.body.url).toBe('https://voice.example/v1/omni/webrtc?agent_id=agt_1');
    const rated = await mint('https://shop.example', { transport: 'webrtc', rate: 8000 });
    expect([rated.status, rated.body.error.param]).toEqual([400, 'rate']);
    const SESSION = { kind: 'key', scope: 'omni:session', browser: true } as const;
    const arrive = (token: string, origin?: string) =>
      app.access
        .authorize(
          {
            authorization: undefined,
            apiKeyHeader: undefined,
            apiKeyQuery: undefined,
            protocols: ['svc.v1', `svc-key.${token}`],
            cookie: undefined,
            origin,
            host: 'voice.example',
            remoteAddress: '198.51.100.1',
          },
          SESSION,
        )
        .then(async ({ principal }) => {
          const admission = await app.access.admit(principal as Principal, 'omni.call', { realtime: true });
          leave = () => {
            admission.release();
            return app.access.restore(principal as Principal);
          };
          return principal;
        })
        .catch((error) => error.code);
    let leave = async (): Promise<void> => {};
    const { token } = minted.body;
    expect(await arrive(token)).toBe('origin_not_allowed');
    expect(await arrive(token, 'https://evil.example')).toBe('origin_not_allowed');
    expect(
      (await app.ask('GET', '/v1/me', { key: token, headers: { origin: 'https://shop.example' } })).status,
    ).toBe(403);
    // A session that did not begin leaves its token as it was.
    expect(await arrive(token, 'https://shop.example')).toMatchObject({ kind: 'browser_token' });
    await leave();
    const both = await Promise.all([
      arrive(token, 'https://shop.example'),
      arrive(token, 'https://shop.example'),
    ]);
    expect(both).toContainEqual('unauthorized');
    expect(both).toContainEqual(
      expect.objectContaining({
        kind: 'browser_token',
        environment: 'sandbox',
        browser: { origin: 'https://shop.example', agentId: 'agt_1', configurable: ['meta'] },
      }),
    );
    expect(await arrive(token, 'https://shop.example')).toBe('unauthorized');
    const late = (await mint('https://shop.example', { ttl_s: 30 })).body.token;
    app.clock.advance(30_000);
    expect(await arrive(late, 'https://shop.example')).toBe('unauthorized');
    const orphan = (await mint('https://shop.example')).body.token;
    await app.ask('PUT', '/v1/omni/origins', { key: user, body: { origins: [] } });
    expect(await arrive(orphan, 'https://shop.example')).toBe('origin_not_allowed');
  });

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
      app.billing.record(
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
