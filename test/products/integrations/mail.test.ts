import { expect, it, onTestFinished } from 'vitest';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { EVENTS } from '../../../src/foundation/events/index.ts';
import { SmtpMailer } from '../../../src/foundation/mail/index.ts';
import { openMailServer } from '../../foundation/mail/mail-server.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { until } from '../../poll.ts';
import { openIntegrations } from './services.ts';

const DESTINATIONS = '/v1/integrations/destinations';
const LINK = /\/auth\/recipients\/([0-9A-Za-z_-]{43})/;
const DAY_MS = 86_400_000;

onBothDatabases('events by mail', (databases) => {
  async function open(environment: 'live' | 'sandbox' = 'live') {
    const server = await openMailServer(onTestFinished);
    const mailer = new SmtpMailer({
      url: `smtp://127.0.0.1:${server.port}`,
      from: 'Trunkline <t@example.com>',
    });
    onTestFinished(() => mailer.close());
    const service = await openIntegrations({ storage: await databases.open(), mailer, environment });
    const mail = async () => {
      const { to, text } = await server.mail();
      return { to, text: text.replace(/=\r?\n/g, '').replaceAll('=3D', '=') };
    };
    const make = (settings: object) =>
      service.send('POST', DESTINATIONS, { kind: 'email', events: ['recap.call.completed'], settings });
    const tokenIn = async () => LINK.exec((await mail()).text)?.[1] as string;
    const state = async (id: string) => (await service.send('GET', `${DESTINATIONS}/${id}`)).json;
    const happens = () =>
      service.storage.transaction((trx) =>
        service.webhooks.publish(trx, {
          scope: tenantScopeOf(service.access.principal()),
          type: 'recap.call.completed',
          data: EVENTS['recap.call.completed'].sample,
          urls: [],
        }),
      );
    const settled = async (event: string) => {
      const find = async () =>
        (await service.send('GET', '/v1/webhooks/deliveries')).json.data.find(
          (one: { event_id: string }) => one.event_id === event,
        );
      await until(async () => (await find())?.attempts > 0);
      return await find();
    };
    return { ...service, mail, make, tokenIn, state, happens, settled };
  }

  it('go to nobody who has not confirmed by the link, and to those who have, in a frame of ours', async () => {
    const service = await open();
    const subject = 'Call: "{{data.outcome}}"';
    const made = await service.make({
      to: ['Ops@example.org', 'cs@example.org'],
      subject,
      text: 'Your account is closed.\nhttps://evil.example',
    });
    expect(made.status, JSON.stringify(made.json)).toBe(201);
    expect(made.json).toMatchObject({
      status: 'unconfirmed',
      unconfirmed: ['Ops@example.org', 'cs@example.org'],
    });
    const asked = await service.mail();
    expect(asked.text).not.toContain('evil');
    const token = LINK.exec(asked.text)?.[1] as string;
    await service.mail();
    expect(await service.happens()).toBeNull();
    const trial = await service.send('POST', `${DESTINATIONS}/${made.json.id}/test`, {});
    expect(await service.settled(trial.json.event_id)).toMatchObject({ status: 'dead' });

    await service.recipients.recordChoice(token, true);
    const [confirmed] = asked.to;
    const other = confirmed === 'ops@example.org' ? 'cs@example.org' : 'Ops@example.org';
    expect(await service.state(made.json.id)).toMatchObject({ status: 'active', unconfirmed: [other] });
    const event = await service.happens();
    const { to, text } = await service.mail();
    expect(to).toEqual([confirmed]);
    // A header encodes the quotation marks of `Trunkline: "Call: 'follow_up'"`.
    expect(text).toMatch(/^Subject: =\?UTF-8\?Q\?Trunkline=3A_=22Call=3A_=27follow=5Fup/m);
    expect(text).toMatch(new RegExp(`Message-ID: <${event}\\.[0-9a-f]{12}@example.com>\\r$`, 'm'));
    expect(text).toContain('> Your account is closed.\r\n> https://evil.example\r\n');
    expect(text).not.toMatch(/^(?:Your account|https:\/\/evil)/m);
    // The same link unsubscribes permanently.
    expect(LINK.exec(text)?.[1]).toBe(token);
    await service.recipients.recordChoice(token, false);
    expect(await service.happens()).toBeNull();
    expect((await service.make({ to: [confirmed] })).json).toMatchObject({ status: 'unconfirmed' });
    expect((await service.make({ to: ['new@example.org'] })).status).toBe(201);
    expect((await service.mail()).to).toEqual(['new@example.org']);
  });

  it('are asked for by 20 mails a day of an organization, and by three to one address', async () => {
    const service = await open();
    const again = (id: string) => service.send('PATCH', `${DESTINATIONS}/${id}`, { status: 'active' });
    const { json } = await service.make({ to: ['a@example.org'] });
    expect((await again(json.id)).status).toBe(200);
    expect((await again(json.id)).status).toBe(200);
    const fourth = await again(json.id);
    expect([fourth.status, fourth.json.error.code]).toEqual([429, 'rate_limit_exceeded']);
    const many = Array.from({ length: 17 }, (_each, index) => `b${index}@example.org`);
    expect((await service.make({ to: many })).status).toBe(201);
    expect((await service.make({ to: ['c@example.org'] })).status).toBe(429);
    service.clock.advance(DAY_MS);
    expect((await service.make({ to: ['c@example.org'] })).status).toBe(201);
  });

  it('are at most 100 mails a day for an organization; what is over waits', async () => {
    const service = await open();
    await service.make({ to: ['a@example.org'] });
    await service.recipients.recordChoice(await service.tokenIn(), true);
    const org = 'org_00000000000000000000';
    for (let sent = 0; sent < 99; sent += 1) await service.recipients.mailsFor(org, ['a@example.org']);
    const last = await service.happens();
    expect(await service.settled(String(last))).toMatchObject({ status: 'delivered' });
    const over = await service.happens();
    expect(await service.settled(String(over))).toMatchObject({
      status: 'pending',
      error: expect.stringContaining('100 mails about events'),
    });
  });

  it('are refused for sandbox keys', async () => {
    const service = await open('sandbox');
    const { status, json } = await service.make({ to: ['a@example.org'] });
    expect([status, json.error.code, json.error.param]).toEqual([403, 'forbidden', 'kind']);
  });

  it('give up where the mail server knows no such address', async () => {
    const service = await open();
    await service.make({ to: ['a@example.org'] });
    await service.recipients.recordChoice(await service.tokenIn(), true);
    await service.storage.db.updateTable('mail_recipients').set({ email: 'unknown@example.org' }).execute();
    await service.storage.db.deleteFrom('mail_counts').execute();
    const { json } = await service.make({ to: ['unknown@example.org'] });
    expect(json.status).toBe('active');
    const event = await service.happens();
    expect(await service.settled(String(event))).toMatchObject({
      status: 'dead',
      error: expect.stringContaining('no such mailbox'),
    });
  });
});
