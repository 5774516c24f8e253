// @requirement Account: OpenID Connect works with a real provider.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { type App, openApp } from './app.ts';

const CALLBACK = 'https://voice.example/auth/oidc/callback';
let issuer = '';
let stop = () => {};

beforeAll(async () => {
  const child = spawn(process.execPath, ['test/foundation/access/provider.mjs', CALLBACK], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  stop = () => child.kill();
  for await (const line of createInterface({ input: child.stdout })) {
    issuer = line;
    break;
  }
});
afterAll(() => stop());

type Jar = Map<string, string>;
const cookies = (jar: Jar) => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
const keep = (jar: Jar, said: readonly string[]) => {
  for (const cookie of said) {
    const [pair] = cookie.split(';');
    const at = pair!.indexOf('=');
    jar.set(pair!.slice(0, at), pair!.slice(at + 1));
  }
};

async function atProvider(from: string, login: string): Promise<URL> {
  const jar: Jar = new Map();
  const go = async (url: string, form?: Record<string, string>) => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: cookies(jar) },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    });
    keep(jar, response.headers.getSetCookie());
    return response;
  };
  let response = await go(from);
  for (let step = 0; step < 12; step += 1) {
    const to = response.headers.get('location');
    if (to !== null) {
      const next = new URL(to, issuer);
      if (next.href.startsWith(CALLBACK)) return next;
      response = await go(next.href);
      continue;
    }
    const page = await response.text();
    const action = /action="([^"]+)"/.exec(page)?.[1];
    const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1];
    if (!action || !prompt) throw new Error(page);
    response = await go(
      new URL(action, issuer).href,
      prompt === 'login' ? { prompt, login, password: 'x' } : { prompt },
    );
  }
  throw new Error('the provider never sent the browser back');
}

onBothDatabases('sign-in by OpenID Connect', (databases) => {
  async function open() {
    // The provider's tokens are checked against real time.
    const app = await openApp(await databases.open(), {
      clock: new ManualClock(Date.now()),
      oidc: { issuer, clientId: 'trunkline', clientSecret: 'a secret of the test' },
    });
    databases.after(() => app.close());
    return app;
  }

  const get = async (app: App, url: string, jar: Jar, more = {}) => {
    const response = await app.server.rest.inject({
      url,
      headers: { host: 'voice.example', cookie: cookies(jar), ...more },
    });
    keep(jar, [response.headers['set-cookie'] ?? []].flat());
    return response;
  };

  async function signIn(app: App, login: string, more = {}) {
    const jar: Jar = new Map();
    const start = await get(app, '/auth/oidc/start', jar, more);
    expect(start.statusCode, start.body).toBe(302);
    const back = await atProvider(String(start.headers.location), login);
    const done = await get(app, back.pathname + back.search, jar);
    return { jar, back, done };
  }

  const sessionOf = async (app: App, jar: Jar) => {
    const response = await get(app, '/auth/session', jar, { origin: 'https://voice.example' });
    return response.json();
  };

  it('makes an account at first, signs in to it again, and takes each answer once, from its own browser', async () => {
    const app = await open();
    const { jar, back, done } = await signIn(app, 'ana@example.com');
    expect(done.statusCode, done.body).toBe(200);
    expect(done.body).toContain('url=/console');
    const first = await sessionOf(app, jar);
    expect(first.user).toMatchObject({ email: 'ana@example.com', name: 'ana' });
    const again = await signIn(app, 'ana@example.com');
    expect((await sessionOf(app, again.jar)).user.id).toBe(first.user.id);
    expect((await get(app, back.pathname + back.search, jar)).statusCode).toBe(401);
    const stolen = await get(app, '/auth/oidc/start', new Map());
    const elsewhere = await atProvider(String(stolen.headers.location), 'eve@example.com');
    expect((await get(app, elsewhere.pathname + elsewhere.search, new Map())).statusCode).toBe(401);
    // No password opens an account of this provider.
    for (const password of ['', 'x']) {
      const login = await app.ask('POST', '/auth/login', { body: { email: 'ana@example.com', password } });
      expect(login.status).toBe(401);
    }
  });

  it('takes over no account with a password, joins one whose person is signed in, and minds invitations', async () => {
    const app = await open();
    const account = { email: 'bob@example.com', password: 'long enough' };
    await app.ask('POST', '/auth/signup', { body: account });
    expect((await signIn(app, 'bob@example.com')).done.json().error.code).toBe('email_taken');
    expect((await signIn(app, 'unverified-new@example.com')).done.statusCode).toBe(401);
    const { token } = (await app.ask('POST', '/auth/login', { body: account })).body;
    const joined = await signIn(app, 'bob@example.com', { authorization: `Bearer ${token}` });
    expect(joined.done.statusCode).toBe(200);
    expect((await sessionOf(app, joined.jar)).user.email).toBe('bob@example.com');
    const invite = { key: token, body: { email: 'cy@example.com', role: 'admin' } };
    await app.ask('POST', '/v1/members/invitations', invite);
    const invited = await signIn(app, 'cy@example.com');
    expect(invited.done.statusCode).toBe(200);
    expect((await sessionOf(app, invited.jar)).error.code).toBe('missing_api_key');
    const members = async () => (await app.ask('GET', '/v1/members', { key: token })).body.data;
    expect(await members()).toHaveLength(1);
    const ticket = /#\/choose\/([0-9A-Za-z]{43})/.exec(invited.done.body)?.[1];
    const path = `/auth/oidc/arrivals/${ticket}`;
    const { body: offer } = await app.ask('GET', path);
    expect(offer).toMatchObject({ email: 'cy@example.com', invitations: [{ role: 'admin' }] });
    const wrong = await app.ask('POST', path, { body: { invitation_id: 'invt_x' } });
    expect([wrong.status, wrong.body.error.param]).toEqual([404, 'invitation_id']);
    const accepted = { body: { invitation_id: offer.invitations[0].id } };
    const chosen = await app.ask('POST', path, accepted);
    expect(chosen.status, JSON.stringify(chosen.body)).toBe(201);
    expect(await members()).toContainEqual(
      expect.objectContaining({ id: chosen.body.user.id, role: 'admin', email_verified: true }),
    );
    expect((await app.ask('POST', path, accepted)).status).toBe(404);
    // A person who does not accept an invitation gets an organization of their own, and the invitation stays open.
    const other = { key: token, body: { email: 'di@example.com', role: 'admin' } };
    await app.ask('POST', '/v1/members/invitations', other);
    const second = await signIn(app, 'di@example.com');
    const alone = /#\/choose\/([0-9A-Za-z]{43})/.exec(second.done.body)?.[1];
    const own = await app.ask('POST', `/auth/oidc/arrivals/${alone}`, { body: { invitation_id: null } });
    expect(own.body.organization.name).toBe('di');
    expect(await members()).toHaveLength(2);
  });

  it('is off where no provider is set', async () => {
    const app = await openApp(await databases.open());
    databases.after(() => app.close());
    const start = await get(app, '/auth/oidc/start', new Map());
    expect([start.statusCode, start.json().error.code]).toEqual([404, 'not_found']);
  });
});
