import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import type { Engine } from '../../../../src/media/engine/index.ts';
import type { WebRtcOptions } from '../../../../src/telephony/webrtc/index.ts';
import { browserAbsent, openPage } from '../../../browser.ts';
import { absent as absentAudio, ffmpeg, SPEECH } from '../../../media/codec/recordings.ts';
import { compileProgram } from '../../../running-server.ts';
import { type Between, hidden, ledThrough } from '../../../telephony/webrtc/between.ts';
import { node } from '../../../telephony/webrtc/nodes.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { bearer } from '../../server/fixtures/start.ts';
import { absent, type OmniServerOptions, openOmni, VOICE } from './server.ts';

const SDP = { 'content-type': 'application/sdp' };

const webrtc =
  (options: Partial<WebRtcOptions> = {}) =>
  (engine: Engine) =>
    node({ engine, ...options });
beforeAll(compileProgram, 120_000);

const nobody = { connected() {}, audio() {}, ended() {} };
const anOffer = async (): Promise<string> => (await node().offer(nobody)).sdp;
const post = (url: string, body: string, headers: Record<string, string> = { ...bearer, ...SDP }) =>
  fetch(`${url}/v1/omni/webrtc`, { method: 'POST', headers, body });

describe.skipIf(Boolean(absent))('the route of offers', () => {
  it('refuses, each with its code, what is no offer of somebody who may call', async () => {
    const { url, access } = await openOmni({ webrtc: webrtc() });
    const codeOf = async (response: Response) => {
      const { error } = (await response.json()) as { error: { code: string; param: string | null } };
      return [response.status, error.code, error.param];
    };
    expect(await codeOf(await post(url, 'v=0', SDP))).toEqual([401, 'missing_api_key', null]);
    expect(await codeOf(await post(url, 'v=0', { ...SDP, authorization: 'Bearer svc_test_x' }))).toEqual([
      401,
      'invalid_api_key',
      null,
    ]);
    expect(await codeOf(await post(url, '{}', { ...bearer, 'content-type': 'application/json' }))).toEqual([
      415,
      'unsupported_media_type',
      null,
    ]);
    expect(await codeOf(await post(url, ''))).toEqual([400, 'invalid_request', 'sdp']);
    expect(await codeOf(await post(url, 'hello'))).toEqual([400, 'invalid_request', 'sdp']);
    expect(await codeOf(await post(url, `v=0\r\n${'a=x\r\n'.repeat(200_000)}`))).toEqual([
      413,
      'payload_too_large',
      null,
    ]);
    const at = (query: string) =>
      fetch(`${url}/v1/omni/webrtc?${query}`, {
        method: 'POST',
        headers: { ...bearer, ...SDP },
        body: 'v=0',
      });
    expect(await codeOf(await at('agent_id=%07'))).toEqual([400, 'invalid_agent_id', 'agent_id']);
    expect(await codeOf(await at('codec=opus'))).toEqual([400, 'invalid_request', 'codec']);
    expect(access.admitted).toBe(access.released);
    const poor = await openOmni({ webrtc: webrtc(), access: new OneKeyAccess(['hear:stream']) });
    expect(await codeOf(await post(poor.url, 'v=0'))).toEqual([403, 'forbidden', 'omni:session']);
  });

  it('lets a browser ask first, with the query of what is to follow', async () => {
    const { url, access } = await openOmni({ webrtc: webrtc() });
    access.origins.add('https://shop.example');
    const preflight = await fetch(`${url}/v1/omni/webrtc?agent_id=a`, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(preflight.headers.get('access-control-expose-headers')).toContain('location');
  });

  it('gives up calls that never connect: nothing is billed, and the token is good again', async () => {
    const access = new OneKeyAccess();
    const restore = vi.spyOn(access, 'restore');
    const { url, billed } = await openOmni({
      access,
      webrtc: webrtc({ connectWithinMs: 300, mostOpening: 2 }),
    });
    const offer = await anOffer();
    const answers = await Promise.all([post(url, offer), post(url, offer), post(url, offer)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 503]);
    await vi.waitFor(() => expect(access.released).toBe(3), 5_000);
    expect(restore).toHaveBeenCalledTimes(3);
    expect(await billed()).toEqual([]);
  });

  it('lets only who began a call end or change it', async () => {
    const { url, access } = await openOmni({ webrtc: webrtc() });
    const begun = await post(url, await anOffer());
    expect(begun.status).toBe(201);
    expect(begun.headers.get('content-type')).toBe('application/sdp');
    expect(await begun.text()).toContain('a=rtpmap:111 opus/48000/2');
    const call = `${url}${begun.headers.get('location')}`;
    expect(call).toMatch(/\/v1\/omni\/webrtc\/ocl_[A-Za-z0-9]{20}$/);
    const status = async (method: string, at: string, headers: Record<string, string>, body?: string) =>
      (await fetch(at, { method, headers, ...(body === undefined ? {} : { body }) })).status;
    const fragment = { 'content-type': 'application/trickle-ice-sdpfrag' };
    expect(await status('DELETE', call, {})).toBe(404);
    expect(await status('DELETE', call, { authorization: 'Bearer svc_test_another' })).toBe(404);
    expect(await status('DELETE', `${call}x`, bearer)).toBe(404);
    const candidate = 'a=candidate:1 1 udp 1 127.0.0.1 9 typ host\r\na=candidate:nonsense';
    expect(await status('PATCH', call, { ...bearer, ...fragment }, candidate)).toBe(204);
    expect(await status('PATCH', call, { ...bearer, 'content-type': 'text/plain' }, candidate)).toBe(415);
    expect(await status('PUT', call, { ...bearer, ...SDP }, await anOffer())).toBe(409);
    expect(access.released).toBe(0);
    expect(await status('DELETE', call, bearer)).toBe(200);
    await vi.waitFor(() => expect(access.released).toBe(1), 5_000);
    expect(await status('DELETE', call, bearer)).toBe(404);
  });
});

function recording(path: string): Buffer {
  const args = ['-v', 'error', '-i', join(SPEECH, path), '-ac', '1', '-ar', '8000', '-f', 's16le', '-'];
  return spawnSync(ffmpeg, args, { maxBuffer: 1 << 26 }).stdout;
}
const silence = (seconds: number): Buffer => Buffer.alloc(16_000 * seconds);

const GREETING = Array(6).fill('We are open from nine in the morning until five in the afternoon.').join(' ');

interface PageCall {
  readonly events: { event: string; reason?: string; call_id?: string; resume?: { token: string } }[];
  readonly transcripts: { role: string; text: string; final: boolean }[];
  state: string;
  level(): number;
  quietFrames: number;
  readonly connection: { close(): void };
  say(message: object): void;
  restart(): Promise<void>;
  heard(): Promise<{ packetsLost: number; packetsReceived: number }>;
  end(): Promise<number>;
}
declare const call: PageCall;

declare const begin: (given: { url: string; key: string; configure: object | null }) => Promise<number>;
const PAGE_CALL = join(import.meta.dirname, 'page-call.js');

describe.skipIf(Boolean(absent || absentAudio) || browserAbsent)('Chromium', () => {
  async function open(microphone: Buffer, loss: number | null = null, options: OmniServerOptions = {}) {
    const access = new OneKeyAccess();
    const server = await openOmni({ ...options, access, webrtc: webrtc() });
    const { page, origin } = await openPage(microphone);
    const ways: Between[] = [];
    if (loss !== null)
      await page.route(/\/v1\/omni\/webrtc/, async (route) => {
        const offer = route.request().postData();
        const response = await route.fetch(offer === null ? {} : { postData: hidden(offer) });
        const led = await ledThrough(await response.text(), loss);
        ways.push(...led.ways);
        await route.fulfill({ response, body: led.sdp });
      });
    await page.addScriptTag({ path: PAGE_CALL });
    access.origins.add(origin);
    const key = OneKeyAccess.KEY;
    const start = (configure: object | null, query = '') =>
      page.evaluate((given) => begin(given), { url: `${server.url}/v1/omni/webrtc${query}`, key, configure });
    return { ...server, page, start, ways };
  }
  const record = async (server: Awaited<ReturnType<typeof open>>) => {
    const { principal } = server.access;
    await vi.waitFor(() => expect(server.access.released).toBe(1), 10_000);
    const [row] = await server.calls.list(tenantScopeOf(principal.call(server.access)), { limit: 5 }, null);
    return row;
  };

  // @requirement WebRTC: A browser calls an agent, interrupts and hangs up.
  it('hears the agent over a way that loses 5 %, interrupts it, is understood, and goes on by another way', async () => {
    const question = recording('an4/an163-mfaa-b.wav');
    const server = await open(Buffer.concat([silence(6), question, question, silence(60)]), 0.05);
    const { page, ways } = server;
    const heard = (loud: boolean) =>
      page.waitForFunction((wanted) => call.level() > 0.05 === wanted, loud, { timeout: 30_000 });
    const event = (name: string) =>
      page.waitForFunction((wanted) => call.events.some(({ event }) => event === wanted), name, {
        timeout: 30_000,
      });
    expect(
      await server.start({ type: 'configure', voice_id: VOICE, greeting: GREETING }, '?session_label=web'),
    ).toBe(201);
    await event('configured');
    await heard(true);
    await event('barge_in');
    await heard(false);
    await page.waitForFunction(
      () => call.transcripts.some(({ role, final, text }) => role === 'user' && final && text !== ''),
      null,
      { timeout: 30_000 },
    );
    const { packetsLost, packetsReceived } = await page.evaluate(() => call.heard());
    expect(packetsLost / (packetsLost + packetsReceived)).toBeGreaterThan(0.01);
    expect(ways).toHaveLength(1);
    ways[0]!.there = false;
    await page.evaluate(() => call.restart());
    await vi.waitFor(() => expect(ways.at(-1)!.passed).toBeGreaterThan(20), 10_000);
    await page.evaluate(() => call.say({ type: 'say', text: 'We are still here. Are you there as well?' }));
    await heard(true);
    expect(ways).toHaveLength(2);
    expect(await page.evaluate(() => call.end())).toBe(200);
    expect(await record(server)).toMatchObject({ status: 'completed', session_label: 'web' });
    expect((await server.billed())[0]).toBeGreaterThan(5_000);
  }, 120_000);

  it('goes on with its call at another node, by a new offer and the token', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'webrtc-resume-'));
    const first = await open(silence(60), 0, { dataDir, resumable: true });
    const { page, access, ways } = first;
    const second = await openOmni({ dataDir, resumable: true, access, webrtc: webrtc() });
    const said = (text: string) =>
      page.waitForFunction(
        (wanted) => call.transcripts.some(({ role, text }) => role === 'agent' && text.includes(wanted)),
        text,
        { timeout: 30_000 },
      );
    const spoken = async () => {
      await page.waitForFunction(() => call.level() > 0.05, null, { timeout: 20_000 });
      await page.waitForFunction(
        () => {
          call.quietFrames = call.level() < 0.02 ? call.quietFrames + 1 : 0;
          return call.quietFrames > 60;
        },
        null,
        { timeout: 20_000 },
      );
    };
    await first.start({ type: 'configure', voice_id: VOICE, greeting: 'Good morning.' });
    await said('Good morning.');
    // The call would say again what its caller had not heard.
    await spoken();
    const before = await page.evaluate(() => call.events.find(({ event }) => event === 'configured'));
    for (const way of ways) way.there = false;
    const answered = await page.evaluate((given) => begin(given), {
      url: `${second.url}/v1/omni/webrtc`,
      key: OneKeyAccess.KEY,
      configure: { type: 'configure', resume: before?.resume?.token },
    });
    expect(answered).toBe(201);
    await said('Sorry, we were cut off.');
    await spoken();
    const after = await page.evaluate(() => call.events.find(({ event }) => event === 'configured'));
    expect(after).toMatchObject({ call_id: before?.call_id, resumed: true });
    await page.evaluate(() => call.say({ type: 'end' }));
    await vi.waitFor(async () => expect(await second.billed()).toHaveLength(1), 10_000);
    const record = await second.calls.find(tenantScopeOf(access.principal.call(access)), before!.call_id!);
    expect(record).toMatchObject({ status: 'completed', end_reason: 'client_ended' });
    const entries = JSON.parse(record?.transcript ?? '[]') as { text: string }[];
    expect(entries[0]?.text).toBe('Good morning.');
    expect(entries.at(-1)?.text).toContain('Sorry, we were cut off.');
    expect(await second.billed()).toEqual([Number(record?.duration_ms)]);
  }, 120_000);

  it('is heard by a supervisor, and hears one who takes the call over', async () => {
    const question = recording('an4/an163-mfaa-b.wav');
    const server = await open(Buffer.concat(Array.from({ length: 20 }, () => question)));
    const { page } = server;
    await server.start({ type: 'configure', voice_id: VOICE, greeting: '' });
    await page.waitForFunction(() => call.events.some(({ event }) => event === 'configured'));
    const id = await page.evaluate(() => call.events.find(({ event }) => event === 'configured')?.call_id);
    const address = `${server.url.replace('http', 'ws')}/v1/omni/supervise?call_id=${id}&mode=take_over`;
    const seat = new WebSocket(address, { headers: bearer });
    const heard: Buffer[] = [];
    let rate = 0;
    seat.on('message', (data: Buffer, isBinary) => {
      if (isBinary) heard.push(data);
      else rate ||= JSON.parse(data.toString()).rate ?? 0;
    });
    await vi.waitFor(() => expect(rate).toBe(24_000), 10_000);
    const loudest = () => {
      const sound = Buffer.concat(heard);
      let most = 0;
      for (let at = 0; at + 2 <= sound.length; at += 2)
        most = Math.max(most, Math.abs(sound.readInt16LE(at)));
      return most;
    };
    await vi.waitFor(() => expect(loudest()).toBeGreaterThan(2_000), 20_000);
    const tone = Buffer.alloc(960);
    for (let at = 0; at < 480; at++)
      tone.writeInt16LE(Math.round(12_000 * Math.sin((2 * Math.PI * 500 * at) / rate)), at * 2);
    const speaking = setInterval(() => seat.send(tone), 20);
    await page.waitForFunction(() => call.level() > 0.2, null, { timeout: 20_000 });
    clearInterval(speaking);
    seat.close();
    await page.evaluate(() => call.say({ type: 'say', text: 'We are here again. Are you there as well?' }));
    await page.waitForFunction(() => call.level() > 0.05, null, { timeout: 20_000 });
    await page.evaluate(() => call.end());
  }, 120_000);

  it('is told why when the server ends the call', async () => {
    const server = await open(silence(60));
    const { page } = server;
    await server.start({ type: 'configure', voice_id: VOICE, greeting: GREETING });
    await page.waitForFunction(() => call.level() > 0.05, null, { timeout: 20_000 });
    server.access.revoke();
    await page.waitForFunction(() => call.events.some(({ event }) => event === 'ended'), null, {
      timeout: 10_000,
    });
    const ended = await page.evaluate(() => call.events.find(({ event }) => event === 'ended'));
    expect(ended).toMatchObject({ reason: 'credential_revoked' });
    await page.waitForFunction(() => ['closed', 'disconnected', 'failed'].includes(call.state), null, {
      timeout: 15_000,
    });
    await record(server);
  }, 120_000);

  it('needs no data channel, and its leaving ends the call', async () => {
    const server = await open(silence(60));
    const { page } = server;
    await server.start(null);
    await page.waitForFunction(() => call.state === 'connected', null, { timeout: 20_000 });
    await vi.waitFor(() => expect(server.lanes).toHaveLength(1), 10_000);
    await passed(300);
    await page.evaluate(() => call.connection.close());
    expect(await record(server)).toMatchObject({ status: 'completed' });
  }, 120_000);
});
