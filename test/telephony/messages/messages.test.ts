import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { IdempotencyStore } from '../../../src/edge/server/index.ts';
import { createMessagesSurface } from '../../../src/edge/surfaces/messages/index.ts';
import { DEFAULT_RETENTION, type TenantScope, tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { detectOptOut, LANGUAGE_WORDS, OPT_OUT } from '../../../src/language/text/index.ts';
import {
  LoopbackMessages,
  MessageCarrierError,
  type MessageOrder,
} from '../../../src/telephony/carriers/index.ts';
import { Messages, messageSweep, messagesPersonalData } from '../../../src/telephony/messages/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { bearer, start } from '../../edge/server/fixtures/start.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { type Databases, onBothDatabases } from '../../foundation/storage/databases.ts';
import { CheckedWebhooks } from '../../foundation/webhooks/checked.ts';
import { until } from '../../poll.ts';
import { FREE_TEXTS } from './free-texts.ts';

const OURS = '+15005550006';
const ANSWERS = '+15005550001';
const SECOND = '+14155550101';
const HELD = new Set([OURS, SECOND]);
const UNREACHABLE = '+15005550003';
const QUIET = '+15005550007';

async function open(databases: Databases, carrier = new LoopbackMessages()) {
  const storage = await databases.open();
  const clock = new ManualClock(Date.parse('2026-11-22T12:00:00Z'));
  const gate = new UrlGate({ allowLoopback: true, clock });
  const queue = new JobQueue(storage, clock);
  const webhooks = new CheckedWebhooks({
    storage,
    queue,
    gate,
    clock,
    background: new BackgroundTasks({ clock }),
  });
  const access = new OneKeyAccess();
  const here = tenantScopeOf(access.principal());
  const numbers = {
    owns: async (scope: TenantScope, number: string) => HELD.has(number) && scope.org === here.org,
    ownerOf: async (number: string) => (HELD.has(number) ? here : null),
    agentOf: async () => null,
    keyOf: async () => null,
    ofAgent: async () => null,
  };
  // A destination is set, because no event is recorded without one.
  webhooks.setDestinations({
    targets: async () => [{ destination: 'dst_1', url: 'https://example.com/' }],
    deliver: async () => ({ status: 204, error: null }),
  });
  const texts = FREE_TEXTS;
  const messages = new Messages({ storage, queue, clock, gate, webhooks, carrier, numbers, texts });
  messages.start();
  databases.after(() => messages.stop(0));
  const surface = createMessagesSurface({
    store: messages.store,
    handOvers: messages.handOvers,
    messages,
  });
  const { url } = await start({
    access,
    surfaces: [surface],
    idempotencyStore: new IdempotencyStore(storage, clock),
  });
  const send = async (method: string, path: string, body?: unknown, headers = {}) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...bearer,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers of every route.
    return { status: answer.status, json: (await answer.json()) as any };
  };
  const list = async (query = '') => (await send('GET', `/v1/messages${query}`)).json.data;
  const settled = async (id: string, status: string) => {
    const find = async () => (await send('GET', `/v1/messages/${id}`)).json;
    await until(async () => (await find()).status === status);
    return await find();
  };
  const write = async (to: string, more: object = {}) =>
    await send('POST', '/v1/messages', { from: OURS, to, body: 'Your table is booked.', ...more });
  const events = async () =>
    (
      await acrossTenants(storage.db)
        .selectFrom('webhook_events')
        .select('type')
        .orderBy('created_at')
        .execute()
    )
      .map(({ type }) => type)
      .sort();
  return { storage, queue, clock, carrier, here, messages, send, list, settled, write, events };
}

class Away extends LoopbackMessages {
  tries = 0;
  readonly #away: number;

  constructor(away: number) {
    super();
    this.#away = away;
  }

  override async send(order: MessageOrder): Promise<void> {
    this.tries += 1;
    if (this.tries <= this.#away) throw new MessageCarrierError(null, 'The network is away.');
    await super.send(order);
  }
}

onBothDatabases('messages', (databases) => {
  const service = async (carrier?: LoopbackMessages) => await open(databases, carrier);

  // @requirement Messages: Messages are listed with filters and cursors.
  it('are delivered, answered and told of', async () => {
    const { write, settled, list, events } = await service();
    const { status, json } = await write(ANSWERS, { campaign_id: 'camp_1' });
    expect([status, json.status]).toEqual([201, 'queued']);
    expect(await settled(json.id, 'delivered')).toEqual({
      id: json.id,
      object: 'message',
      direction: 'outbound',
      from: OURS,
      to: ANSWERS,
      body: 'Your table is booked.',
      media_urls: [],
      campaign_id: 'camp_1',
      status: 'delivered',
      failure_code: null,
      created_at: '2026-11-22T12:00:00.000Z',
      updated_at: '2026-11-22T12:00:00.000Z',
    });
    await until(async () => (await list('?direction=inbound')).length === 1);
    expect(await list(`?from=${encodeURIComponent(ANSWERS)}`)).toMatchObject([
      { direction: 'inbound', status: 'received', body: 'You wrote: Your table is booked.' },
    ]);
    expect(await events()).toEqual(['message.delivered', 'message.received']);
  });

  it('arrive at another number that is held here, once, and STOP there counts', async () => {
    const { write, settled, list, events, clock } = await service();
    const { json } = await write(SECOND);
    expect(await settled(json.id, 'delivered')).toMatchObject({ to: SECOND, failure_code: null });
    expect(await list('?direction=inbound')).toMatchObject([
      { from: OURS, to: SECOND, body: 'Your table is booked.', status: 'received' },
    ]);
    clock.advance(1_000);
    await settled((await write(OURS, { from: SECOND, body: 'Stop' })).json.id, 'delivered');
    await until(async () => (await list('?direction=inbound')).length === 3);
    expect(await list(`?direction=inbound&to=${encodeURIComponent(SECOND)}`)).toMatchObject([
      { body: OPT_OUT.en.stopped },
      { body: 'Your table is booked.' },
    ]);
    expect((await write(SECOND)).json).toMatchObject({ status: 'failed', failure_code: 'opted_out' });
    expect((await events()).filter((type) => type === 'message.received')).toHaveLength(3);
  });

  // @requirement Messages: Delivery reports in any order give the right status and failure code.
  it('say why they did not arrive', async () => {
    const { write, settled, events } = await service();
    for (const [to, code] of [
      [UNREACHABLE, 'unreachable'],
      ['+15005550011', 'unknown_number'],
      ['+15005550008', 'filtered'],
      ['+442079460000', 'unknown_number'],
    ] as const)
      expect(await settled((await write(to)).json.id, 'failed')).toMatchObject({ failure_code: code });
    expect(await events()).toEqual(Array.from({ length: 4 }, () => 'message.failed'));
  });

  // @requirement Messages: Opt-out words work in eight languages.
  it('are kept from whoever wrote STOP, until they write START', async () => {
    const { write, settled, carrier, list, messages } = await service();
    await carrier.write(QUIET, OURS, ' Stop. ');
    await until(async () => (await list('?direction=outbound&status=delivered')).length === 1);
    const [answer] = await list('?direction=outbound');
    expect(answer).toMatchObject({ to: QUIET, body: OPT_OUT.en.stopped });
    const { json } = await write(QUIET);
    expect([json.status, json.failure_code]).toEqual(['failed', 'opted_out']);
    await carrier.write(QUIET, OURS, 'STOP');
    expect((await list('?direction=outbound')).length).toBe(2);
    await settled((await write(ANSWERS)).json.id, 'delivered');
    await carrier.write(QUIET, OURS, 'start');
    await settled((await write(QUIET)).json.id, 'delivered');
    expect(messages.store).toBeDefined();
  });

  // @requirement Messages: Messages wait for a network that is away.
  it('wait for a network that is away, and are sent once when it is back', async () => {
    const network = new Away(3);
    const { write, settled, clock, events, list } = await service(network);
    const { json } = await write(QUIET);
    await until(async () => {
      clock.advance(5_000);
      return network.tries > 3;
    });
    await settled(json.id, 'delivered');
    expect([network.tries, (await list()).length, await events()]).toEqual([4, 1, ['message.delivered']]);
  });

  it('fail once a network was away for hours, and say so once', async () => {
    const network = new Away(Number.POSITIVE_INFINITY);
    const { write, clock, events, list, queue, storage } = await service(network);
    const began = clock.now();
    const { json } = await write(QUIET);
    await until(async () => {
      const job = await queue.view(storage.db, json.id);
      if (job?.state === 'waiting') clock.advance(Math.max(1_000, job.runAt - clock.now()));
      return job === null || job.state === 'dead';
    });
    expect(await list()).toMatchObject([{ status: 'failed', failure_code: 'carrier_unavailable' }]);
    expect([network.tries, await events()]).toEqual([20, ['message.failed']]);
    expect(clock.now() - began).toBeGreaterThan(3_600_000);
  });

  it('come in once, however often the network brings them, and to nobody’s number not at all', async () => {
    const { messages, list, here, storage } = await service();
    const incoming = { reference: 'r1', from: QUIET, to: OURS, body: 'Hello', mediaUrls: [] };
    for (let again = 0; again < 3; again += 1) await messages.incoming(incoming);
    await messages.incoming({ ...incoming, reference: 'r2', to: '+15005550099' });
    expect((await list()).length).toBe(1);
    const personalData = messagesPersonalData(storage);
    expect(await personalData.dataSubjectsOf(here)).toEqual([QUIET]);
    expect(await personalData.dataSubjectsOf(scopeFor('org_other'))).toEqual([]);
    const none = { among: async () => new Set<string>() };
    const person = { externalId: QUIET, until: Date.parse('2026-11-23') };
    expect((await personalData.erase(here, person, none)).counts).toEqual({ messages: 1 });
    expect(await list()).toEqual([]);
  });

  it('keep their last state, whatever is reported late', async () => {
    const { write, settled, messages } = await service();
    const { json } = await write(QUIET);
    await settled(json.id, 'delivered');
    await messages.report({ id: json.id, state: 'failed', code: 'unreachable' });
    await messages.report({ id: 'msg_00000000000000000000', state: 'delivered' });
    expect((await settled(json.id, 'delivered')).failure_code).toBeNull();
  });

  it('are forgotten with age', async () => {
    const { write, list, storage, clock } = await service();
    await write(QUIET);
    const sweep = messageSweep({
      storage,
      clock,
      background: new BackgroundTasks({ clock }),
      retention: async () => ({ ...DEFAULT_RETENTION, transcript: 1 }),
    });
    await sweep.sweep();
    expect((await list()).length).toBe(1);
    clock.advance(24 * 3600 * 1000 + 1);
    await sweep.sweep();
    expect(await list()).toEqual([]);
  });

  // @requirement Messages: Media of messages pass the URL gate.
  it('carry media that is there, small and of a kind that messages carry', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/ok.png') response.writeHead(200, { 'content-type': 'image/png' }).end('png');
      else if (request.url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('x');
      else if (request.url === '/large')
        response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(6 * 1024 * 1024));
      else response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { write, settled } = await service();
    const media = async (path: string) => (await write(QUIET, { media_urls: [`${at}${path}`] })).json.id;
    await settled(await media('/ok.png'), 'delivered');
    for (const path of ['/page', '/large', '/gone'])
      expect(await settled(await media(path), 'failed')).toMatchObject({ failure_code: 'media_unreadable' });
  });

  it('are listed page by page, newest first, each once', async () => {
    const { write, send, clock } = await service();
    const written: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      written.unshift((await write(QUIET)).json.id);
      clock.advance(n % 2);
    }
    const seen: string[] = [];
    let query = '?limit=2&direction=outbound';
    for (let pages = 0; pages < 3; pages += 1) {
      const { data, next_cursor } = (await send('GET', `/v1/messages${query}`)).json;
      seen.push(...data.map(({ id }: { id: string }) => id));
      expect(next_cursor === null).toBe(pages === 2);
      query = `?limit=2&direction=outbound&cursor=${next_cursor}`;
    }
    expect([...seen].sort()).toEqual([...written].sort());
    expect((await send('GET', '/v1/messages?cursor=nonsense')).status).toBe(400);
  });

  it('are made once under one key', async () => {
    const { send, list } = await service();
    const body = { from: OURS, to: QUIET, body: 'Once' };
    const headers = { 'idempotency-key': 'k1' };
    const first = await send('POST', '/v1/messages', body, headers);
    expect((await send('POST', '/v1/messages', body, headers)).json.id).toBe(first.json.id);
    expect((await send('POST', '/v1/messages', { ...body, body: 'Twice' }, headers)).status).toBe(409);
    expect((await list()).length).toBe(1);
  });

  it('are refused with the field that is wrong', async () => {
    const { send } = await service();
    const good = { from: OURS, to: QUIET, body: 'Hello' };
    for (const [param, body] of [
      ['from', { ...good, from: '+15005550099' }],
      ['from', { ...good, from: '15005550006' }],
      ['to', { ...good, to: 'somebody' }],
      ['body', { ...good, body: ' ' }],
      ['body', { ...good, body: 'x'.repeat(1601) }],
      ['media_urls.0', { ...good, media_urls: ['https://10.0.0.1/a.png'] }],
      ['surprise', { ...good, surprise: 1 }],
    ] as const)
      expect(await send('POST', '/v1/messages', body)).toMatchObject({
        status: 400,
        json: { error: { code: 'invalid_request', param } },
      });
    for (const id of ['msg_00000000000000000000', 'nonsense'])
      expect((await send('GET', `/v1/messages/${id}`)).status).toBe(404);
  });
});

it.each(Object.entries(OPT_OUT))(
  'knows the words of %s, and takes no other message for one',
  (language, words) => {
    expect(Object.keys(LANGUAGE_WORDS)).toContain(language);
    for (const word of words.stop) {
      expect(detectOptOut(` ${word.toUpperCase()}! `)?.wish, word).toBe('stop');
      expect(detectOptOut(`${word} tomorrow at nine`)).toBeNull();
    }
    for (const word of words.start) expect(detectOptOut(word)?.wish, word).toBe('start');
  },
);

it('knows all eight languages, no word for two wishes, and nothing in nothing', () => {
  expect(Object.keys(OPT_OUT).sort()).toEqual(Object.keys(LANGUAGE_WORDS).sort());
  for (const nothing of ['', ' ', '...', 'Please do not stop the delivery', 'Can you start on Monday?'])
    expect(detectOptOut(nothing)).toBeNull();
});
