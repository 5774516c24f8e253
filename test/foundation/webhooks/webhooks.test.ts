// @requirement Webhooks: Webhooks are signed from the first delivery.
// @requirement Events: Deliveries are signed, retried with backoff and delivered at least once.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { verifyWebhook } from '../../../docs/guides/webhooks/verify.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { RETRY_WAITS_MS, Webhooks } from '../../../src/foundation/webhooks/index.ts';
import { until } from '../../poll.ts';
import { scopeFor } from '../access/tenant-scopes.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { Receiver } from './receiver.ts';
import { WEBHOOK_SEALER } from './sealer.ts';

const ORG = scopeFor('org_00000000000000000001');
const DATA = { destination_id: 'dst_00000000000000000001', message: 'a test' };

onBothDatabases('webhooks', ({ open, after }) => {
  async function setup(random = 0.5) {
    const storage = await open();
    const clock = new ManualClock();
    const gate = new UrlGate({ allowLoopback: true, clock });
    const receiver = new Receiver();
    const url = await receiver.open();
    const queue = new JobQueue(storage, clock);
    const webhooks = new Webhooks({
      sealer: WEBHOOK_SEALER,
      storage,
      queue,
      gate,
      clock,
      background: new BackgroundTasks({ clock }),
      random: () => random,
    });
    webhooks.start();
    after(() => receiver.close());
    after(() => gate.close());
    after(() => webhooks.stop(0));
    const publish = (more = {}, scope = ORG) =>
      storage.transaction((trx) =>
        webhooks.publish(trx, { scope, type: 'integration.test', data: DATA, urls: [url], ...more }),
      );
    const delivery = async () => (await webhooks.deliveries(ORG, { limit: 10 }, null))[0]!;
    const settled = async (status: string) => {
      await until(async () => (await delivery()).status === status);
      return await delivery();
    };
    return { storage, clock, gate, queue, receiver, url, webhooks, publish, delivery, settled };
  }

  it('tells a receiver once what happened, signed, under the event’s id', async () => {
    const { webhooks, publish, receiver, settled, clock, url } = await setup();
    const { secret, createdAt } = await webhooks.mintSecret(ORG);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const id = await publish({ idempotencyKey: 'k1' });
    const row = await settled('delivered');
    expect(row).toMatchObject({
      event_id: id,
      event_type: 'integration.test',
      url,
      attempts: 1,
      response_status: 204,
    });
    expect(receiver.received.length).toBe(1);
    const { headers, body } = receiver.received[0]!;
    const flat = headers as Record<string, string>;
    expect(verifyWebhook({ body: Buffer.from(body), headers: flat }, secret, clock.now() / 1000)).toEqual({
      id,
      type: 'integration.test',
      created_at: createdAt,
      data: DATA,
    });
    expect(headers).toMatchObject({ 'idempotency-key': 'k1', 'content-type': 'application/json' });
    expect(headers['x-svc-signature-previous']).toBeUndefined();
  });

  it('tells nobody when the transaction of the event fails, and nothing without receivers', async () => {
    const { storage, webhooks, publish, receiver, url } = await setup();
    await storage
      .transaction(async (trx) => {
        await webhooks.publish(trx, { scope: ORG, type: 'integration.test', data: DATA, urls: [url] });
        throw new Error('stop');
      })
      .catch(() => {});
    expect(await publish({ urls: [] })).toBeNull();
    await publish({ data: { ...DATA, message: 'kept' } });
    await receiver.count(1);
    expect(JSON.parse(receiver.received[0]!.body).data.message).toBe('kept');
    expect((await webhooks.deliveries(ORG, { limit: 10 }, null)).length).toBe(1);
  });

  it('signs with both secrets for 24 hours after a rotation', async () => {
    const { webhooks, publish, receiver, clock } = await setup();
    const old = await webhooks.mintSecret(ORG);
    const fresh = await webhooks.mintSecret(ORG);
    const verifies = (index: number, secret: string) => {
      const { body, headers } = receiver.received[index]!;
      try {
        const request = { body: Buffer.from(body), headers: headers as Record<string, string> };
        return verifyWebhook(request, secret, clock.now() / 1000) !== null;
      } catch {
        return false;
      }
    };
    await publish();
    await receiver.count(1);
    expect([verifies(0, old.secret), verifies(0, fresh.secret)]).toEqual([true, true]);
    clock.advance(24 * 3600 * 1000);
    await publish();
    await receiver.count(2);
    expect([verifies(1, old.secret), verifies(1, fresh.secret)]).toEqual([false, true]);
  });

  it('keeps to the schedule, then gives up, and sends again when asked', { timeout: 90_000 }, async () => {
    const { publish, receiver, clock, delivery, settled, webhooks } = await setup();
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const id = await publish();
    for (const [index, wait] of RETRY_WAITS_MS.entries()) {
      await until(async () => (await delivery()).attempts === index + 1);
      const row = await delivery();
      expect(row).toMatchObject({
        status: 'pending',
        response_status: 500,
        next_attempt_at: clock.now() + wait,
      });
      clock.advance(wait - 1);
      expect(receiver.received.length).toBe(index + 1);
      await until(async () => {
        clock.advance(receiver.received.length === index + 1 ? 100 : 0);
        return receiver.received.length === index + 2;
      });
    }
    const dead = await settled('dead');
    expect(dead).toMatchObject({
      attempts: 10,
      next_attempt_at: null,
      error: 'The receiver responded with status 500.',
    });
    expect(new Set(receiver.received.map(({ headers }) => headers['x-svc-event-id']))).toEqual(new Set([id]));
    receiver.answer = (_request, response) => response.writeHead(200).end('thanks');
    expect(await webhooks.redeliver(scopeFor('org_of_somebody_else'), dead.id)).toBeNull();
    expect(await webhooks.redeliver(ORG, dead.id)).toMatchObject({ status: 'pending', attempts: 0 });
    expect(await settled('delivered')).toMatchObject({ attempts: 1, error: null });
    expect(receiver.received.at(-1)!.headers['x-svc-event-id']).toBe(id);
  });

  it('does not take nodes that were killed for failed attempts', async () => {
    const { storage, webhooks, publish, receiver, settled, clock } = await setup();
    await webhooks.stop(0);
    await publish();
    const lost = {
      state: 'running',
      worker: 'killed',
      lease_until: clock.now() - 1,
      attempts: 1,
      losses: 50,
    } as const;
    await storage.db.updateTable('jobs').set(lost).execute();
    webhooks.start();
    expect(await settled('delivered')).toMatchObject({ attempts: 1 });
    expect(receiver.received.length).toBe(1);
  });

  it.each(['redelivered', 'retried by the operator'])('sends what its job gave up on, %s', async (how) => {
    const { storage, queue, webhooks, publish, settled } = await setup();
    await webhooks.stop(0);
    await publish();
    await storage.db.updateTable('jobs').set({ state: 'dead', last_error: 'no disk' }).execute();
    await acrossTenants(storage.db)
      .updateTable('webhook_deliveries')
      .set({ status: 'dead', error: 'no disk' })
      .execute();
    const { id } = await settled('dead');
    if (how === 'redelivered') await webhooks.redeliver(ORG, id);
    else expect(await queue.retry(id)).toBe(true);
    webhooks.start();
    expect(await settled('delivered')).toMatchObject({ attempts: 1, error: null });
  });

  it('moves the waits by up to a tenth', async () => {
    const { publish, receiver, clock, delivery } = await setup(0);
    receiver.answer = (_request, response) => response.writeHead(503).end();
    await publish();
    await until(async () => (await delivery()).attempts === 1);
    expect((await delivery()).next_attempt_at).toBe(clock.now() + 4500);
  });

  it('stops at once at 410, and takes a redirect for a refusal', async () => {
    const { publish, receiver, clock, delivery, settled, url, webhooks } = await setup();
    receiver.answer = (_request, response) => response.writeHead(410).end();
    await publish();
    expect(await settled('dead')).toMatchObject({ attempts: 1, response_status: 410 });
    const [failing, ...others] = await webhooks.failingEndpoints(0);
    expect(failing).toMatchObject({
      orgId: ORG.org,
      host: new URL(url).host,
      retrying: 0,
      dead: 1,
      lastStatus: 410,
    });
    expect(others).toEqual([]);
    expect(await webhooks.failingEndpoints(clock.now() + 1)).toEqual([]);
    clock.advance(1);
    receiver.answer = (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end();
    await publish();
    await until(async () => (await delivery()).attempts === 1);
    expect(await delivery()).toMatchObject({ status: 'pending', response_status: 302 });
    expect(receiver.received.every(({ path }) => path === '/')).toBe(true);
  });

  const large = { 'content-length': '100000' };
  const packed = { 'content-encoding': 'gzip' };
  it.each([
    ['a large page', 200, large, 'x'.repeat(100_000), 'delivered'],
    ['a large page, its length not told', 202, {}, 'x'.repeat(100_000), 'delivered'],
    ['a compressed page', 200, packed, 'zz', 'delivered'],
    ['a large page that refuses for good', 410, large, 'x'.repeat(100_000), 'dead'],
    ['a compressed page that refuses for good', 410, packed, 'zz', 'dead'],
  ] as const)('takes the status of %s for the answer', async (_, status, headers, page, becomes) => {
    const { publish, receiver, settled } = await setup();
    receiver.answer = (_request, response) => response.writeHead(status, headers).end(page);
    await publish();
    expect(await settled(becomes)).toMatchObject({ attempts: 1, response_status: status });
  });

  it('begins the schedule anew when asked to during an attempt, whatever that comes to', async () => {
    const { publish, receiver, webhooks, delivery, settled } = await setup();
    let refuse = () => {};
    receiver.answer = (_request, response) => {
      refuse = () => response.writeHead(410).end();
    };
    const id = await publish();
    await receiver.count(1);
    receiver.answer = (_request, response) => response.writeHead(204).end();
    const asked = await webhooks.redeliver(ORG, (await delivery()).id);
    expect(asked).toMatchObject({ status: 'pending', attempts: 0 });
    refuse();
    expect(await settled('delivered')).toMatchObject({ attempts: 1, response_status: 204 });
    await webhooks.stop(1000);
    expect(await delivery()).toMatchObject({ status: 'delivered', response_status: 204 });
    expect(receiver.received.map(({ headers }) => headers['x-svc-event-id'])).toEqual([id, id]);
  });

  it('gives a receiver that can’t be reached its schedule, and says why', async () => {
    const { publish, settled, delivery } = await setup();
    await publish({ urls: ['https://10.0.0.1/hook'] });
    await until(async () => (await delivery()).attempts === 1);
    expect(await settled('pending')).toMatchObject({
      response_status: null,
      error: expect.stringMatching(/not public/),
    });
  });

  it('lets a silent receiver delay nobody', async () => {
    const { publish, receiver, clock, url, storage } = await setup();
    const slow = new Receiver();
    slow.answer = () => {};
    const slowUrl = await slow.open();
    after(() => slow.close());
    for (let n = 0; n < 40; n += 1) await publish({ urls: [slowUrl] });
    await slow.count(8);
    await publish({ urls: [url] }, scopeFor('org_00000000000000000002'));
    await receiver.count(1);
    expect(slow.received.length).toBe(8);
    const waiting = async () => (await jobs(storage)).filter(({ state }) => state === 'waiting').length;
    expect(await waiting()).toBe(32);
    clock.advance(10_000);
    await until(async () => (await jobs(storage)).some(({ queue }) => queue === 'webhooks.retry'));
    await publish({ urls: [slowUrl] });
    const newest = (await jobs(storage)).at(-1)!;
    expect(newest.queue).toBe('webhooks.retry');
  });

  it('lets an organization’s many silent receivers delay no other organization', async () => {
    const { publish, receiver, url, storage } = await setup();
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '0.0.0.0', resolve));
    after(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    const urls = Array.from({ length: 200 }, (_, host) => `http://127.1.0.${host + 1}:${port}/`);
    await publish({ urls });
    const running = async () => (await jobs(storage)).filter(({ state }) => state === 'running').length;
    await until(async () => (await running()) >= 48);
    await publish({ urls: [url] }, scopeFor('org_00000000000000000002'));
    await receiver.count(1);
    await until(async () => (await running()) === 48);
  });

  it('forgets settled events after a month, and keeps pending ones', async () => {
    const { publish, settled, clock, webhooks, receiver, delivery } = await setup();
    await publish();
    await settled('delivered');
    receiver.answer = (_request, response) => response.writeHead(500).end();
    clock.advance(1);
    const stored = await publish();
    await until(async () => (await delivery()).attempts === 1);
    await webhooks.stop(0);
    clock.advance(31 * 24 * 3600 * 1000);
    await webhooks.sweep();
    expect((await webhooks.deliveries(ORG, { limit: 10 }, null)).map(({ event_id }) => event_id)).toEqual([
      stored,
    ]);
  });
});

const jobs = (storage: Storage) =>
  storage.db
    .selectFrom('jobs')
    .select(['queue', 'state', 'created_at'])
    .orderBy('created_at')
    .orderBy('queue')
    .execute();
