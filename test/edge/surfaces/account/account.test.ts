// @requirement Account: The third sandbox key of a network is refused, and the error names the command.
// @requirement Limits: A network mints two sandbox keys in 24 h, and the fields of a signup have lengths.
import { expect, it, vi } from 'vitest';
import { signReferral } from '../../../../src/foundation/access/referral.ts';
import { SCOPES } from '../../../../src/foundation/access/scopes.ts';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { accountsOn, DAY, SIGNUP } from './accounts.ts';

// Password hashing runs on a thread of low priority, so a busy machine takes long.
vi.setConfig({ testTimeout: 120_000 });

onBothDatabases('account', (databases) => {
  const { open, signIn } = accountsOn(databases);

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

  // @requirement Account: Signup counts attempts and does not reveal whether an address is taken.
  it('counts what was tried of a network, not what came of it', async () => {
    const app = await open();
    const sign = async (email: string, from = '203.0.113.7') => {
      const body = { email, password: 'long enough' };
      const { status, body: said } = await app.ask('POST', '/auth/signup', { body, from });
      return [status, said.error?.code];
    };
    expect(await sign('ana@example.com', '198.51.100.1')).toEqual([201, undefined]);
    for (let tried = 0; tried < 3; tried += 1)
      expect(await sign('ana@example.com')).toEqual([400, 'email_taken']);
    vi.spyOn(app.access.keys, 'createIn').mockRejectedValueOnce(new Error('the database is gone'));
    expect(await sign('eve@example.com')).toEqual([500, 'internal_error']);
    expect(await sign('eve@example.com')).toEqual([201, undefined]);
    // The sixth attempt is refused, whether the address has an account or not.
    for (const email of ['ana@example.com', 'new@example.com'])
      expect(await sign(email)).toEqual([429, 'rate_limit_exceeded']);
    expect(await sign('new@example.com', '198.51.100.1')).toEqual([201, undefined]);
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
    // The answer with the new token may be lost, so the old token stays valid until the new one is used.
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
});
