// @requirement Account: Signup counts attempts and does not reveal whether an address is taken.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { MailError, MailQueue, SmtpMailer } from '../../../src/foundation/mail/index.ts';
import { loadConfig } from '../../../src/foundation/platform/config/index.ts';
import { openMailer } from '../../../src/main/mail.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { openMailServer } from './mail-server.ts';

const FROM = 'Trunkline <noreply@example.com>';
const mailerAt = (address: string): SmtpMailer => {
  const mailer = new SmtpMailer({ url: `smtp://${address}`, from: FROM });
  onTestFinished(() => mailer.close());
  return mailer;
};
const MAIL = { to: ['ada@example.org'], subject: 'Welcome', text: 'Grüße, open https://example.com/x' };

const failure = async (work: Promise<unknown>): Promise<MailError> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MailError);
  return error as MailError;
};

it('sends to every recipient, in one message with its own id', async () => {
  const server = await openMailServer(onTestFinished);
  await mailerAt(`127.0.0.1:${server.port}`).send({
    ...MAIL,
    to: ['ada@example.org', 'bob@example.org'],
    id: 'mail_1',
  });
  const { from, to, text } = await server.mail();
  expect({ from, to }).toEqual({ from: 'noreply@example.com', to: ['ada@example.org', 'bob@example.org'] });
  expect(text).toMatch(/^Message-ID: <mail_1@example.com>\r$/im);
  expect(text).toMatch(/^Subject: Welcome\r$/m);
  expect(text).toContain('Gr=C3=BC=C3=9Fe');
});

it('signs in, and says when it may not', async () => {
  const server = await openMailServer(onTestFinished, 'auth');
  await mailerAt(`trunkline:p%40ss%20word@127.0.0.1:${server.port}`).send(MAIL);
  expect((await server.mail()).to).toEqual(['ada@example.org']);
  const refused = await failure(mailerAt(`trunkline:wrong@127.0.0.1:${server.port}`).send(MAIL));
  expect(refused).toMatchObject({ permanent: true, message: expect.stringContaining('no such user') });
  expect(refused.message).not.toContain('wrong');
});

it('tells an unknown address from a server that is busy, and lets no line into a header', async () => {
  const server = await openMailServer(onTestFinished);
  const mailer = mailerAt(`127.0.0.1:${server.port}`);
  const to = (address: string) => mailer.send({ ...MAIL, to: [address] });
  expect(await failure(to('unknown@example.org'))).toMatchObject({ permanent: true });
  expect(await failure(to('busy@example.org'))).toMatchObject({ permanent: false });
  expect(await failure(to(''))).toMatchObject({ permanent: true });
  await mailer.send({ ...MAIL, subject: 'Hello\r\nBcc: eve@example.org' });
  const { to: reached, text } = await server.mail();
  expect(reached).toEqual(['ada@example.org']);
  expect(text).toContain('Subject: Hello Bcc: eve@example.org');
});

it('comes back to a server that is away', async () => {
  const place = createServer().listen(0, '127.0.0.1');
  await once(place, 'listening');
  const { port } = place.address() as AddressInfo;
  place.close();
  await once(place, 'close');
  expect(await failure(mailerAt(`127.0.0.1:${port}`).send(MAIL))).toMatchObject({ permanent: false });
});

it('needs a sender beside the server', () => {
  expect(openMailer({ smtpUrl: null, mailFrom: null })).toBeNull();
  expect(() => loadConfig({ TRUNKLINE_SMTP_URL: 'smtp://127.0.0.1' })).toThrow(/needs TRUNKLINE_MAIL_FROM/);
  expect(() => loadConfig({ TRUNKLINE_SMTP_URL: 'http://127.0.0.1' })).toThrow(/smtp, smtps/);
});

onBothDatabases('posted mail', ({ open, after }) => {
  it('leaves when its transaction is stored, and not when it is not', async () => {
    const storage = await open();
    const clock = new ManualClock();
    const server = await openMailServer(onTestFinished);
    const post = new MailQueue({
      queue: new JobQueue(storage, clock),
      mailer: mailerAt(`127.0.0.1:${server.port}`),
    });
    post.start();
    after(() => post.stop(1000));
    await storage
      .transaction(async (trx) => {
        await post.enqueue(trx, 'org_1', { ...MAIL, subject: 'never' });
        throw new Error('undone');
      })
      .catch(() => {});
    const id = await storage.transaction((trx) => post.enqueue(trx, 'org_1', MAIL));
    const { text } = await server.mail();
    expect(text).toContain(`<${id}@example.com>`);
    expect(text).not.toContain('never');
  });

  it('is not posted where no server is configured', async () => {
    const storage = await open();
    const post = new MailQueue({ queue: new JobQueue(storage, new ManualClock()), mailer: null });
    expect([post.isConfigured, await storage.transaction((trx) => post.enqueue(trx, 'org_1', MAIL))]).toEqual(
      [false, null],
    );
  });
});
