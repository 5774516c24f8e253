/**
 * Work that a key began continues after the key's revocation, or after the person of the console session has signed
 * out.
 */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from '../contract/world.ts';
import { absent as absentSpeech, hasRecordings, SPEECH_FOLDER } from '../edge/surfaces/speak/server.ts';
import { absent } from '../edge/surfaces/telephony/server.ts';
import { pollDelay } from '../poll.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every kind.
type Json = any;

const WITHIN_MS = 120_000;
const SPANISH = 'asterisk_es/vm-nobodyavail.wav';
const PAGE =
  '<html><head><title>Hours</title></head><body><p>The workshop opens at nine in the morning.</p></body></html>';

if (!hasRecordings && process.env.CI === 'true') throw new Error(`absent: ${SPEECH_FOLDER}`);

describe.skipIf(absent || absentSpeech || !hasRecordings).each([
  ['a key that is revoked', 'key'],
  ['the key of a console session that is signed out', 'session'],
] as const)('what was begun by %s', (_, kind) => {
  const withheld: (() => void)[] = [];
  const withhold = (response: ServerResponse, body: string | Buffer, type: string) =>
    withheld.push(() => response.writeHead(200, { 'content-type': type }).end(body));
  let ended = false;
  let world: World;
  let site: Server;
  let maker: string;
  let by: Json;
  let base: Json;
  let crawl: Json;
  let dub: Json;
  let render: Json;
  let cast: Json;
  let clone: Json;
  let revokedAt: number;

  const send = async (key: string, method: string, path: string, body?: unknown) => {
    const form = body instanceof FormData;
    const answer = await world.send(path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, body: answer.json as Json };
  };
  const sent = async (key: string, method: string, path: string, body?: unknown) => {
    const answer = await send(key, method, path, body);
    expect([200, 201, 202], `${path}: ${JSON.stringify(answer.body)}`).toContain(answer.status);
    return answer.body;
  };
  const made = (path: string, body: unknown, method = 'POST') => sent(maker, method, path, body);
  const other = (method: string, path: string, body?: unknown) => sent(world.ours.key, method, path, body);
  const until = async (path: string, when: (now: Json) => boolean) => {
    const end = Date.now() + WITHIN_MS;
    for (;;) {
      const now = (await send(world.ours.key, 'GET', path)).body;
      if (when(now)) return now;
      if (Date.now() > end) throw new Error(`${path} stays ${JSON.stringify(now)}`);
      await pollDelay();
    }
  };

  async function credential(): Promise<{ key: string; end: () => Promise<unknown> }> {
    const { session, email, password } = world.ours;
    if (kind === 'key') {
      const { api_key: key, id } = await sent(session, 'POST', '/v1/keys', {
        environment: 'live',
        scopes: ['*'],
      });
      return { key, end: () => sent(session, 'POST', `/v1/keys/${id}/revoke`) };
    }
    const login = await world.send('/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    const { token } = login.json as Json;
    const { api_key: key } = await sent(token, 'POST', '/auth/session/key', { environment: 'live' });
    const end = async () => expect((await send(token, 'POST', '/auth/logout')).status).toBeLessThan(300);
    return { key, end };
  }

  beforeAll(async () => {
    site = createServer((request, response) => {
      if (request.url === '/robots.txt') response.writeHead(404).end();
      else if (ended) response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      else if (request.url === '/es.wav')
        withhold(response, readFileSync(join(SPEECH_FOLDER, SPANISH)), 'audio/wav');
      else withhold(response, PAGE, 'text/html');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(site.address() as { port: number }).port}`;
    world = await World.open({ settings: { TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true' } });
    const { key, end } = await credential();
    maker = key;
    by = { kind: 'key', id: (await sent(key, 'GET', '/v1/me')).key_id };
    base = await made('/v1/knowledgebases', { name: 'Hours' });
    crawl = await made(`/v1/knowledgebases/${base.id}/crawls`, { url: `${url}/`, max_pages: 1 });
    dub = await made('/v1/dub', { audio_url: `${url}/es.wav`, source: 'es', target: 'en' });
    cast = await made('/v1/cast/projects', {
      title: 'Play',
      script: Array.from({ length: 6 }, (_none, line) =>
        line % 2 ? `BEN: It was ${line} when the lamp went out.` : `ANNA: Did ${line} of you hear the door?`,
      ).join('\n'),
    });
    render = await made(`/v1/cast/projects/${cast.id}/renders`, { format: 'mp3' });
    const form = new FormData();
    form.set('name', 'Linda');
    form.set('consent', 'true');
    form.set('file', new Blob([readFileSync(join(SPEECH_FOLDER, 'ljspeech/LJ001-0001.wav'))]), 'voice.wav');
    clone = await made('/v1/voice/clones', form);
    await made('/v1/integrations/hosting/somewhere/installation', { configuration_id: 'icfg_1' }, 'PUT');
    await end();
    revokedAt = Date.now();
    expect((await send(maker, 'GET', '/v1/me')).status).toBe(401);
    ended = true;
    for (const answer of withheld.splice(0)) answer();
  }, 240_000);
  afterAll(async () => {
    await world?.stop();
    site?.closeAllConnections();
    await new Promise((resolve) => site?.close(resolve));
  });

  it('is read further, where it is a crawl', async () => {
    expect(crawl.created_by).toEqual(by);
    const path = `/v1/knowledgebases/${base.id}/crawls/${crawl.id}`;
    const now = await until(path, ({ status }) => /indexed|failed/.test(status));
    expect(now).toMatchObject({ status: 'indexed', registered: 1, created_by: by });
    const { passages } = await other('POST', `/v1/knowledgebases/${base.id}/query`, { query: 'when open?' });
    expect(JSON.stringify(passages)).toContain('nine in the morning');
  }, 150_000);

  it('is dubbed, rendered, and can be rendered again', async () => {
    const dubbed = await until(`/v1/dub/${dub.id}`, ({ status }) => /done|error/.test(status));
    expect(dubbed).toMatchObject({ status: 'done', error: null });
    const rendered = await until(`/v1/cast/renders/${render.id}`, ({ status }) =>
      /completed|failed|cancelled/.test(status),
    );
    expect(rendered).toMatchObject({ status: 'completed', audio_available: true });
    const again = await other('POST', `/v1/cast/projects/${cast.id}/renders`, { format: 'wav' });
    const second = await until(`/v1/cast/renders/${again.id}`, ({ status }) =>
      /completed|failed|cancelled/.test(status),
    );
    expect(second.status).toBe('completed');
    expect(second.created_at).toBeGreaterThanOrEqual(revokedAt);
  }, 300_000);

  it('is spoken, where it is a cloned voice', async () => {
    const { data } = await other('GET', '/v1/voice/clones');
    expect(data).toMatchObject([{ id: clone.id }]);
    const spoken = await world.send('/v1/audio/speech', {
      method: 'POST',
      headers: { authorization: `Bearer ${world.ours.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'svc-speak', input: 'Good morning.', voice: clone.id, stream: false }),
    });
    expect(spoken.status, spoken.text.slice(0, 300)).toBe(200);
  }, 90_000);

  it('is bound to another key, where it is an installation, which ends as it would have', async () => {
    const { api_key: key } = await sent(world.ours.session, 'POST', '/v1/keys', {
      environment: 'live',
      scopes: ['*'],
    });
    const body = { configuration_id: 'icfg_1' };
    await sent(key, 'PUT', '/v1/integrations/hosting/somewhere/installation', body);
    const event = JSON.stringify({
      type: 'integration-configuration.removed',
      payload: { configuration: { id: 'icfg_1' } },
    });
    const signature = createHmac('sha256', 'the secret of somewhere').update(event).digest('hex');
    const removed = await world.send('/auth/somewhere/webhook', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-somewhere-signature': signature },
      body: event,
    });
    expect(removed.status, removed.text).toBe(200);
    expect((await send(key, 'GET', '/v1/me')).status).toBe(401);
  });
});
