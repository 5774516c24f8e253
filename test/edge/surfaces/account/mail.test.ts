// @requirement Account: Signup counts attempts and does not reveal whether an address is taken.
// @requirement Account: Organizations have roles, members, invitations and sessions.
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { JobQueue } from '../../../../src/foundation/jobs/index.ts';
import { MailQueue, SmtpMailer } from '../../../../src/foundation/mail/index.ts';
import { NOON } from '../../../foundation/access/access-service.ts';
import { openMailServer } from '../../../foundation/mail/mail-server.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { type App, openApp } from './app.ts';

const BASE = 'https://voice.example';
const ANA = { email: 'ana@example.com', password: 'a long password', name: 'Ana' };
const LINK = /https:\/\/voice\.example(\/auth\/\w+\/[0-9A-Za-z]{43})/;

onBothDatabases('with a mail server', (databases) => {
  const apps: App[] = [];
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
  });

  async function open() {
    const storage = await databases.open();
    const clock = new ManualClock(NOON);
    const server = await openMailServer(onTestFinished);
    const mailer = new SmtpMailer({ url: `smtp://127.0.0.1:${server.port}`, from: 'noreply@example.com' });
    const post = new MailQueue({ queue: new JobQueue(storage, clock), mailer });
    post.start();
    onTestFinished(() => post.stop(0));
    const app = await openApp(storage, { clock, mail: post, publicUrl: () => BASE } as never);
    apps.push(app);
    const linkIn = async () => LINK.exec((await server.mail()).text.replace(/=\r?\n/g, ''))?.[1] as string;
    return { app, server, linkIn };
  }
  const signUp = (app: App, more: object = {}, from = '192.0.2.1') =>
    app.ask('POST', '/auth/signup', { body: { ...ANA, ...more }, from });
  const signIn = (app: App, more: object = {}) =>
    app.ask('POST', '/auth/login', { body: { email: ANA.email, password: ANA.password, ...more } });

  it('an account is signed in to once its address was confirmed, by a link that works once', async () => {
    const { app, linkIn } = await open();
    expect((await signUp(app)).status).toBe(201);
    const path = await linkIn();
    const early = await signIn(app);
    expect([early.status, early.body.error.code]).toEqual([401, 'unauthorized']);
    expect((await app.ask('GET', path)).body).toMatchObject({ object: 'email_link', email: ANA.email });
    expect((await signIn(app)).status).toBe(401);
    expect((await app.ask('POST', path)).body).toEqual({ object: 'email', email: ANA.email, verified: true });
    expect((await app.ask('POST', path)).status).toBe(404);
    const { status, body } = await signIn(app);
    expect(status).toBe(200);
    const members = await app.ask('GET', '/v1/members', { key: body.token });
    expect(members.body.data).toMatchObject([{ email: ANA.email, email_verified: true }]);
  });

  it('an address that has an account answers as a new one, and its owner is told', async () => {
    const { app, server, linkIn } = await open();
    const first = await signUp(app);
    await app.ask('POST', await linkIn());
    const second = await signUp(app, { password: 'another password' }, '198.51.100.1');
    expect(second.status).toBe(201);
    const shape = (value: unknown): unknown =>
      value !== null && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shape(one)]))
        : typeof value;
    expect(shape(second.body)).toEqual(shape(first.body));
    expect(second.body.user.email).toBe(ANA.email);
    expect((await app.ask('GET', '/v1/me', { key: second.body.api_key })).status).toBe(200);
    const reported = await server.mail();
    expect([reported.to, reported.text]).toEqual([[ANA.email], expect.stringContaining('has one')]);
    const wrong = await signIn(app, { password: 'another password' });
    const nobody = await signIn(app, { email: 'nobody@example.com' });
    const said = ({ body: { error } }: { body: { error: unknown } }) => error;
    expect(said(wrong)).toEqual(said(nobody));
    expect((await signIn(app)).status).toBe(200);
  });

  it('an invitation is sent by mail, and accepting it confirms the address', async () => {
    const { app, server, linkIn } = await open();
    await signUp(app);
    await app.ask('POST', await linkIn());
    const { body: owner } = await signIn(app);
    const asked = { email: 'bo@example.com', role: 'analyst' };
    const { body } = await app.ask('POST', '/v1/members/invitations', { key: owner.token, body: asked });
    const mail = await server.mail();
    expect(mail.to).toEqual(['bo@example.com']);
    const path = LINK.exec(mail.text.replace(/=\r?\n/g, ''))?.[1] as string;
    // The inviter does not get the link, because opening it proves who owns the address.
    expect(body.url).toBeNull();
    expect((await app.ask('POST', path, { body: { password: 'long enough' } })).status).toBe(201);
    const members = await app.ask('GET', '/v1/members', { key: owner.token });
    expect(members.body.data.map((one: { email_verified: boolean }) => one.email_verified)).toEqual([
      true,
      true,
    ]);
  });

  it('an organization puts no sentence and no link of its own into an invitation', async () => {
    const { app, server, linkIn } = await open();
    const org_name = 'Your account is closed!\r\nSign in at https://evil.example/now or www.evil.example';
    await signUp(app, { org_name });
    await app.ask('POST', await linkIn());
    const { body: owner } = await signIn(app);
    const asked = { email: 'bo@example.com', role: 'analyst' };
    await app.ask('POST', '/v1/members/invitations', { key: owner.token, body: asked });
    const text = (await server.mail()).text.replace(/=\r?\n/g, '');
    expect(text).toContain('Subject: You are invited to an organization on Trunkline');
    expect(text).toContain('calls itself "Your account is closed Sign in at https evil example now or"');
    expect(text.match(/https?:\/\/[^\s]+/g)).toEqual([expect.stringMatching(/^https:\/\/voice\.example\//)]);
    expect(text).not.toMatch(/evil\./);
  });

  it('a forgotten password is set anew by a link that works once, for 30 minutes, and ends every session', async () => {
    const { app, server, linkIn } = await open();
    await signUp(app);
    await app.ask('POST', await linkIn());
    const { body: session } = await signIn(app);
    const forgot = (email: string, from = '203.0.113.7') =>
      app.ask('POST', '/auth/password/forgot', { body: { email }, from });
    const tokenIn = async () =>
      /console#\/reset\/([0-9A-Za-z]{43})/.exec((await server.mail()).text.replace(/=\r?\n/g, ''))?.[1];
    const nobody = await forgot('nobody@example.com');
    const known = await forgot(ANA.email);
    expect([known.status, known.body]).toEqual([202, nobody.body]);
    const first = await tokenIn();
    // Repeated requests from one network neither void a link nor send mail.
    for (let count = 0; count < 5; count += 1)
      expect((await forgot(ANA.email, '198.51.100.7')).status).toBe(202);
    const reset = (token: string | undefined, password = 'a newer password') =>
      app.ask('POST', '/auth/password/reset', { body: { token, password } });
    expect((await reset(first, 'short')).status).toBe(400);
    expect((await reset(first)).body).toEqual({ object: 'password', changed: true });
    expect((await reset(first)).status).toBe(404);
    expect((await app.ask('GET', '/auth/session', { key: session.token })).status).toBe(401);
    expect((await signIn(app)).status).toBe(401);
    expect((await signIn(app, { password: 'a newer password' })).status).toBe(200);
    await forgot(ANA.email);
    const late = await tokenIn();
    app.clock.advance(30 * 60_000);
    expect((await reset(late)).status).toBe(404);
    for (let count = 0; count < 5; count += 1) await forgot('nobody@example.com', '198.51.100.7');
    const refused = await forgot(ANA.email, '198.51.100.8');
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limit_exceeded']);
    for (let count = 0; count < 3; count += 1) await signUp(app, {}, `192.0.2.${count}`);
    expect((await forgot(ANA.email)).status).toBe(202);
    const mails: string[] = [];
    while (mails.length < 4) mails.push((await server.mail()).text.replace(/=\r?\n/g, ''));
    expect(mails.filter((text) => text.includes('You already have an account'))).toHaveLength(3);
    const [token] = mails.flatMap((text) => /reset\/([0-9A-Za-z]{43})/.exec(text)?.[1] ?? []);
    expect((await reset(token, 'the newest password')).status).toBe(200);
  });

  it('mail about events is confirmed and refused by its link', async () => {
    const { app, server } = await open();
    const { access, storage, organization } = app;
    await storage.transaction((trx) =>
      access.recipients.requestConfirmation(trx, organization.orgId, ['cy@example.com']),
    );
    const { text } = await server.mail();
    const path = /\/auth\/recipients\/[\w-]{43}/.exec(text.replace(/=\r?\n/g, ''))?.[0] as string;
    expect((await app.ask('GET', path)).body).toMatchObject({
      object: 'mail_recipient',
      email: 'cy@example.com',
      confirmed: false,
    });
    const visit = await app.ask('GET', path, { headers: { accept: 'text/html' } });
    expect([visit.status, visit.headers.location]).toEqual([
      302,
      `/console#/recipient/${path.split('/').at(-1)}`,
    ]);
    expect((await app.ask('POST', path)).body.confirmed).toBe(true);
    expect((await app.ask('DELETE', path)).body.confirmed).toBe(false);
    expect((await app.ask('GET', `${path.slice(0, -1)}!`)).status).toBe(404);
  });
});

onBothDatabases('without a mail server', (databases) => {
  it('an address stays unconfirmed, and one that is in use is refused', async () => {
    const app = await openApp(await databases.open());
    onTestFinished(() => app.close());
    expect((await signUp(app)).status).toBe(201);
    const taken = await signUp(app);
    expect([taken.status, taken.body.error.code]).toEqual([400, 'email_taken']);
    const { body } = await app.ask('POST', '/auth/login', { body: ANA_SIGNS_IN });
    const members = await app.ask('GET', '/v1/members', { key: body.token });
    expect(members.body.data).toMatchObject([{ email: ANA.email, email_verified: false }]);
  });
  const ANA_SIGNS_IN = { email: ANA.email, password: ANA.password };
  const signUp = (app: App) => app.ask('POST', '/auth/signup', { body: ANA });
});
