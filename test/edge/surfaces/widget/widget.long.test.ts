// @requirement Browser calls: The widget has captions, level, mute, keypad and errors, works by keyboard alone and stays below 40 kB.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SeededRandom } from '../../../../src/apps/caller/index.ts';
import { createWidgetSurface } from '../../../../src/edge/surfaces/widget/index.ts';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { browserAbsent, openPage } from '../../../browser.ts';
import { long } from '../../../long-tests.ts';
import { absent as absentAudio, ffmpeg, SPEECH } from '../../../media/codec/recordings.ts';
import { compileProgram } from '../../../running-server.ts';
import { type Between, hidden, ledThrough } from '../../../telephony/webrtc/between.ts';
import { node } from '../../../telephony/webrtc/nodes.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { relayed } from '../../server/fixtures/relay.ts';
import { start } from '../../server/fixtures/start.ts';
import { absent, type OmniServerOptions, openOmni, VOICE } from '../omni/server.ts';

beforeAll(compileProgram, 120_000);

it('is served to any page, and not twice', async () => {
  const { url } = await start({ surfaces: [createWidgetSurface()] });
  const first = await fetch(`${url}/widget.js`);
  expect(first.status).toBe(200);
  expect(first.headers.get('content-type')).toContain('text/javascript');
  expect(first.headers.get('access-control-allow-origin')).toBe('*');
  expect((await first.arrayBuffer()).byteLength).toBeLessThan(40_000);
  const etag = first.headers.get('etag') as string;
  expect((await fetch(`${url}/widget.js`, { headers: { 'if-none-match': etag } })).status).toBe(304);
});

/** Pages use these versions with their digests: a changed digest breaks their `integrity`. */
const PUBLISHED = {
  v11: 'sha256-fOVuxunt3oqcNfn3OHmQt19YGMp73qqpiKAy9Gi7TcE=',
  v12: 'sha256-q5xXgd09tSdnoeq1cSv0145buYFoz0F9KCfOxRHtPDI=',
  v13: 'sha256-ux35Y1mODSJJfH7BXstz7qU0xavYLSZqIaXJwnkOHpE=',
  v14: 'sha256-VF/Nulu5oOLkWblY4yZT/mhumq3V7gfODufN8Z4Z7Mo=',
  v15: 'sha256-mmfyD4GeMwdQ43Bn0mWKpaD4f+osuI3Hg8k8OJtbWHQ=',
};

// @requirement Browser calls: Each version of the widget is immutable, and `v11` is the certified one.
it.each(Object.entries(PUBLISHED))(
  'is published as %s, whose bytes never change',
  async (version, digest) => {
    const { url } = await start({ surfaces: [createWidgetSurface()] });
    const answer = await fetch(`${url}/widget/${version}/widget.js`);
    expect(answer.headers.get('cache-control')).toContain('immutable');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(`sha256-${createHash('sha256').update(bytes).digest('base64')}`).toBe(digest);
    expect(gzipSync(bytes).byteLength).toBeLessThan(40_000);
  },
);

it.each(['v10', 'v999', 'latest', 'v11%2f..'])('is no %s, which nobody published', async (version) => {
  const { url } = await start({ surfaces: [createWidgetSurface()] });
  const { status } = await fetch(`${url}/widget/${version}/widget.js`);
  expect(status).toBe(404);
});

function recording(path: string): Buffer {
  const args = ['-v', 'error', '-i', join(SPEECH, path), '-ac', '1', '-ar', '8000', '-f', 's16le', '-'];
  return spawnSync(ffmpeg, args, { maxBuffer: 1 << 26 }).stdout;
}
const silence = (seconds: number): Buffer => Buffer.alloc(16_000 * seconds);
const GREETING = 'Hello, this is the shop. How can I help you today?';

/** Pages reach the server through the test's relays; `forgets` makes it know no call that was begun. */
async function ledServer(target: string) {
  const led = { url: '', ways: [] as Between[], forgets: false };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = 'GET', headers } = request;
    const { host: _, connection: __, 'content-length': ___, ...passed } = headers;
    const sent = Buffer.concat(chunks).toString();
    const path = led.forgets && method === 'PUT' ? `${request.url}x` : request.url;
    const answer = await fetch(`${target}${path}`, {
      method,
      headers: passed as Record<string, string>,
      ...(sent === '' ? {} : { body: hidden(sent) }),
    });
    const isSdp = answer.ok && answer.headers.get('content-type')?.includes('sdp');
    const through = isSdp ? await ledThrough(await answer.text(), 0) : { sdp: await answer.text(), ways: [] };
    led.ways.push(...through.ways);
    const reported = [...answer.headers].filter(
      ([name]) => !/^(content-length|connection|transfer|keep)/.test(name),
    );
    response.writeHead(answer.status, Object.fromEntries(reported)).end(through.sdp);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  led.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return led;
}

/** The network to the page has 150 ms of jitter, and one piece of twenty is late by twice as much. */
async function jittered(target: string): Promise<string> {
  const { hostname, port } = new URL(target);
  const chance = new SeededRandom(5);
  const server = createTcpServer((page) => {
    const line = connect(Number(port), hostname);
    page.pipe(line);
    let due = 0;
    line.on('data', (piece) => {
      const late = chance.between(0, 150) + (chance.next() < 0.05 ? 300 : 0);
      due = Math.max(due, performance.now() + late);
      setTimeout(() => page.writable && page.write(piece), due - performance.now());
    });
    for (const end of [page, line]) {
      end.on('error', () => {});
      end.on('close', () => [page, line].forEach((each) => void each.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const LISTENS = `<script>
  const silencesAt = (rate) => {
    const found = [];
    let quiet = null;
    const hear = (samples) => {
      for (const sample of samples) {
        if (sample === 0) { if (quiet !== null) quiet++; continue; }
        if (quiet > rate / 200) found.push((1000 * quiet) / rate);
        quiet = 0;
      }
      return (1000 * (quiet ?? 0)) / rate;
    };
    return { found, hear };
  };
  const came = silencesAt(16000);
  globalThis.line = { came: came.found, played: [], restsMs: 0 };
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (data, ...rest) {
    if (data instanceof ArrayBuffer) came.hear(new Int16Array(data));
    return post.call(this, data, ...rest);
  };
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (to, ...rest) {
    if (this instanceof AudioWorkletNode && to === this.context.destination) {
      const ear = this.context.createScriptProcessor(1024, 1, 1);
      const played = silencesAt(this.context.sampleRate);
      line.played = played.found;
      ear.onaudioprocess = ({ inputBuffer }) => { line.restsMs = played.hear(inputBuffer.getChannelData(0)); };
      connect.call(this, ear);
      connect.call(ear, this.context.destination);
    }
    return connect.call(this, to, ...rest);
  };
</script>`;

describe.skipIf(Boolean(absent || absentAudio) || browserAbsent)('a call by the widget', () => {
  async function open(
    transport: string,
    silentFor = 8,
    greeting = GREETING,
    before = '',
    options: OmniServerOptions = {},
  ) {
    const access = new OneKeyAccess();
    const server = await openOmni({
      ...options,
      access,
      webrtc: (engine) => node({ engine, restartWithinMs: 20_000 }),
      otherSurfaces: [createWidgetSurface()],
    });
    const configure = JSON.stringify({ voice_id: VOICE, greeting });
    const html = `${before}<script src="${server.url}/widget.js"></script><trunkline-call lang="en" transport="${transport}" configure='${configure}'></trunkline-call>`;
    const question = recording('an4/an163-mfaa-b.wav');
    const { page, origin } = await openPage(Buffer.concat([silence(silentFor), question, silence(40)]), html);
    access.origins.add(origin);
    const sessions = {
      webrtc: { token: OneKeyAccess.KEY, url: `${server.url}/v1/omni/webrtc` },
      websocket: {
        token: OneKeyAccess.KEY,
        url: `${server.url.replace('http', 'ws')}/v1/omni?format=pcm16&rate=16000`,
      },
    };
    const state = (wanted: string) =>
      page.waitForFunction(
        // biome-ignore lint/suspicious/noExplicitAny: the page has a document, and the test none.
        (one) => (globalThis as any).document.querySelector('trunkline-call').dataset.state === one,
        wanted,
        { timeout: 30_000 },
      );
    const give = (given: object) =>
      page.evaluate((all) => {
        // biome-ignore lint/suspicious/noExplicitAny: the same.
        (globalThis as any).document.querySelector('trunkline-call').getSession = async (way: string) =>
          (all as Record<string, object>)[way];
      }, given);
    return { server, access, page, sessions, state, give };
  }

  it('goes by WebRTC, by keys alone, with captions of both', async () => {
    const { server, access, page, sessions, state, give } = await open('');
    await give(sessions);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await state('live');
    const widget = page.locator('trunkline-call');
    expect(await widget.getAttribute('data-transport')).toBe('webrtc');
    const log = page.getByRole('log', { name: 'Conversation' });
    await vi.waitFor(async () => expect(await log.textContent()).toContain('Agent: Hello'), 20_000);
    await vi.waitFor(async () => expect(await log.textContent()).toContain('You: '), 30_000);
    await page.getByRole('button', { name: 'Mute' }).press('Enter');
    expect(await page.getByRole('button', { name: 'Mute' }).getAttribute('aria-pressed')).toBe('true');
    await page.getByText('Keypad').press('Enter');
    await page.getByRole('button', { name: '7' }).press('Enter');
    await page.getByRole('button', { name: 'Hang up' }).press('Enter');
    await state('over');
    expect(await page.getByRole('status').textContent()).toBe('Call ended');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TRUNKLINE-CALL');
    await vi.waitFor(() => expect(access.released).toBe(1), 10_000);
    expect((await server.billed())[0]).toBeGreaterThan(5_000);
  }, 120_000);

  // @requirement WebRTC: The widget falls back to WebSocket.
  it('goes by WebSocket where WebRTC does not get through', async () => {
    const { access, page, sessions, state, give } = await open('');
    await give({ ...sessions, webrtc: { ...sessions.webrtc, url: 'http://127.0.0.1:9/v1/omni/webrtc' } });
    await page.getByRole('button', { name: 'Call' }).click();
    await state('live');
    expect(await page.locator('trunkline-call').getAttribute('data-transport')).toBe('websocket');
    const log = page.getByRole('log', { name: 'Conversation' });
    await vi.waitFor(async () => expect(await log.textContent()).toContain('Agent: Hello'), 20_000);
    await vi.waitFor(async () => expect(await log.textContent()).toContain('You: '), 30_000);
    access.revoke();
    await state('over');
    await vi.waitFor(() => expect(access.released).toBe(1), 10_000);
  }, 120_000);

  // @requirement WebRTC: The widget restarts ICE.
  it('keeps its call when its network goes, by another way', async () => {
    const { server, access, page, sessions, state, give } = await open('webrtc', long ? 30 : 8);
    const { url, ways } = await ledServer(server.url);
    await give({ webrtc: { ...sessions.webrtc, url: `${url}/v1/omni/webrtc` } });
    await page.getByRole('button', { name: 'Call' }).click();
    await state('live');
    const log = page.getByRole('log', { name: 'Conversation' });
    await vi.waitFor(async () => expect(await log.textContent()).toContain('Agent: Hello'), 20_000);
    expect(ways).toHaveLength(1);
    for (const way of ways) way.there = false;
    const status = page.getByRole('status');
    await vi.waitFor(async () => expect(await status.textContent()).toBe('Connecting…'), 20_000);
    await vi.waitFor(async () => expect(await status.textContent()).toBe('Connected'), 20_000);
    const before = ways.at(-1)?.passed ?? 0;
    await vi.waitFor(() => expect(ways.at(-1)?.passed).toBeGreaterThan(before + 100), 10_000);
    if (long) await vi.waitFor(async () => expect(await log.textContent()).toContain('You: '), 60_000);
    expect(await log.textContent()).toContain('Agent: Hello');
    expect([access.admitted, access.released]).toEqual([1, 0]);
    await page.getByRole('button', { name: 'Hang up' }).click();
    await state('over');
    await vi.waitFor(() => expect(access.released).toBe(1), 10_000);
  }, 120_000);

  // @requirement Browser calls: The widget continues a call after a lost connection, or calls again.
  it('calls again where the server knows its call no more', async () => {
    const { server, access, page, sessions, state, give } = await open('webrtc');
    const led = await ledServer(server.url);
    await give({ webrtc: { ...sessions.webrtc, url: `${led.url}/v1/omni/webrtc` } });
    await page.getByRole('button', { name: 'Call' }).click();
    await state('live');
    led.forgets = true;
    for (const way of led.ways) way.there = false;
    await state('over');
    led.forgets = false;
    await state('live');
    expect(access.admitted).toBe(2);
  }, 120_000);

  it.each(['webrtc', 'websocket'])(
    'goes on with its call at another node by %s',
    async (transport) => {
      const dataDir = mkdtempSync(join(tmpdir(), 'widget-resume-'));
      const resumable = { dataDir, resumable: true } as const;
      const { server, access, page, sessions, state, give } = await open(
        transport,
        60,
        GREETING,
        '',
        resumable,
      );
      const second = await openOmni({ access, webrtc: (engine) => node({ engine }), ...resumable });
      await page.evaluate(
        `globalThis.notified = []; addEventListener('trunkline', ({ detail }) => notified.push(detail))`,
      );
      const led = await ledServer(server.url);
      const relay = await relayed(server.url);
      await give({
        webrtc: { ...sessions.webrtc, url: `${led.url}/v1/omni/webrtc` },
        websocket: { ...sessions.websocket, url: sessions.websocket.url.replace(/127[^/]*/, relay.host) },
      });
      await page.getByRole('button', { name: 'Call' }).click();
      await state('live');
      const log = page.getByRole('log', { name: 'Conversation' });
      await vi.waitFor(async () => expect(await log.textContent()).toContain('Agent: Hello'), 20_000);
      const elsewhere = (url: string) => url.replace(server.url.slice(4), second.url.slice(4));
      await give({
        webrtc: { ...sessions.webrtc, url: elsewhere(sessions.webrtc.url) },
        websocket: { ...sessions.websocket, url: elsewhere(sessions.websocket.url) },
      });
      led.forgets = true;
      for (const way of led.ways) way.there = false;
      relay.cut();
      await page.waitForFunction(`notified.some(({ state }) => state === 'resumed')`, undefined, {
        timeout: 40_000,
      });
      await vi.waitFor(
        async () => expect(await log.textContent()).toContain('Sorry, we were cut off.'),
        20_000,
      );
      expect(await page.getByRole('status').textContent()).toBe('Connected');
      const notified =
        await page.evaluate<{ event: string; state?: string; call_id: string; resumed?: true }[]>('notified');
      expect(notified.filter(({ event }) => event === 'connection').map((one) => one.state)).toEqual([
        'lost',
        'resumed',
      ]);
      const configured = notified.filter(({ event }) => event === 'configured');
      expect(configured).toMatchObject([{}, { call_id: configured[0]?.call_id, resumed: true }]);
      await page.getByRole('button', { name: 'Hang up' }).click();
      await state('over');
      await vi.waitFor(async () => expect(await second.billed()).toHaveLength(1), 10_000);
      const record = await second.calls.find(
        tenantScopeOf(access.principal.call(access)),
        configured[0]!.call_id,
      );
      expect(record?.status).toBe('completed');
    },
    120_000,
  );

  it('goes on with its call at another node where its own hangs', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'widget-hang-'));
    const resumable = { dataDir, resumable: true } as const;
    const { server, access, page, sessions, state, give } = await open(
      'websocket',
      60,
      GREETING,
      '',
      resumable,
    );
    const second = await openOmni({ access, ...resumable });
    await page.evaluate(
      `globalThis.notified = []; addEventListener('trunkline', ({ detail }) => notified.push(detail))`,
    );
    const relay = await relayed(server.url);
    const url = sessions.websocket.url.replace(/127[^/]*/, relay.host);
    await give({ ...sessions, websocket: { ...sessions.websocket, url } });
    await page.getByRole('button', { name: 'Call' }).click();
    await state('live');
    const log = page.getByRole('log', { name: 'Conversation' });
    await vi.waitFor(async () => expect(await log.textContent()).toContain('Agent: Hello'), 20_000);
    relay.hang(second.url);
    await vi.waitFor(
      async () => expect(await log.textContent()).toContain('Sorry, we were cut off.'),
      20_000,
    );
    const notified = await page.evaluate<{ event: string; state?: string; call_id: string }[]>('notified');
    const states = notified.filter(({ event }) => event === 'connection').map((one) => one.state);
    expect(states).toEqual(['lost', 'resumed']);
    const [before, after] = notified.filter(({ event }) => event === 'configured');
    expect(after).toMatchObject({ call_id: before?.call_id, resumed: true });
    expect(notified.map(({ event }) => event)).not.toContain('pong');
    await page.getByRole('button', { name: 'Hang up' }).click();
    await vi.waitFor(async () => expect(await second.billed()).toHaveLength(1), 10_000);
  }, 120_000);

  // @requirement Browser calls: The playout buffer of the widget adapts to jitter and loss, and shrinks back.
  it('plays without long gaps over a line with 150 ms of jitter and 5 % of late frames', async () => {
    const greeting = 'We are open from nine to five, and you may come at any time you like. '.repeat(4);
    const { server, page, sessions, state, give } = await open('websocket', 30, greeting, LISTENS);
    const host = await jittered(server.url);
    await give({
      websocket: { ...sessions.websocket, url: sessions.websocket.url.replace(/127[^/]*/, host) },
    });
    await page.getByRole('button', { name: 'Call' }).click();
    await state('live');
    const log = page.getByRole('log', { name: 'Conversation' });
    await vi.waitFor(
      async () => expect((await log.textContent())?.match(/any time/g)).toHaveLength(4),
      60_000,
    );
    await page.waitForFunction('line.restsMs > 1500', undefined, { timeout: 30_000 });
    const { came, played } = await page.evaluate<Record<'came' | 'played', number[]>>('line');
    const sum = (of: readonly number[]) => of.reduce((all, one) => all + one, 0);
    expect(sum(played) - sum(came)).toBeLessThan(2_000);
    expect(Math.max(...played)).toBeLessThan(Math.max(0, ...came) + 450);
  }, 120_000);

  it('says what failed', async () => {
    const { page, state, give } = await open('webrtc');
    await give({ webrtc: { token: 'svc_test_wrong', url: 'http://127.0.0.1:9/' } });
    await page.getByRole('button', { name: 'Call' }).click();
    await state('over');
    expect(await page.getByRole('alert').textContent()).toContain('The call failed');
    expect(await page.getByRole('button', { name: 'Call' }).isVisible()).toBe(true);
  }, 60_000);
});
