import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent, openPage } from '../../browser.ts';
import { type Sent, World } from '../../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../../conversation/brains/endpoint/scripted-endpoint.ts';
import {
  agentsBundle,
  agentsMissing,
  peersFolder,
  peersMissing,
} from '../../edge/surfaces/compat/vendors.ts';
import { absent, make, workFolder } from '../../media/codec/recordings.ts';
import { compileProgram } from '../../running-server.ts';

/** Calls by WebRTC have a process of their own, which runs the compiled program. */
beforeAll(compileProgram, 240_000);
const folder = workFolder();
afterAll(folder.remove);
const model = absent ? null : await ScriptedEndpoint.start(ORDERS);
afterAll(() => model?.close());
const world = absent
  ? null
  : await World.open({
      settings: {
        TRUNKLINE_BRAIN_URL: model?.url ?? '',
        TRUNKLINE_BRAIN_MODEL: 'scripted',
        TRUNKLINE_WEBRTC_PORTS: '32000-32099',
        TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
      },
    });
afterAll(() => world?.stop());

const plain = (text: string): string => text.toLowerCase().replace(/[^a-z ]/g, '');
const raw = (name: string, rate: number): string =>
  make(folder.path, name, '-t', '4', '-ac', '1', '-ar', String(rate), '-f', 's16le');

const send = async (path: string, sent: Sent, key = world!.ours.key) => {
  const { status, json, headers } = await world!.send(path, {
    ...sent,
    headers: { authorization: `Bearer ${key}`, ...sent.headers },
  });
  const { error } = (json ?? {}) as { error?: { code: string; param: string | null } };
  return { status, json, headers, refusal: [status, error?.code, error?.param] };
};
const sendJson = (path: string, method: string, body: object, key?: string) =>
  send(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }, key);
const CALLS = '/v1/realtime/calls';
const sendForm = (fields: Readonly<Record<string, string>>) => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return send(CALLS, { method: 'POST', body });
};

describe.skipIf(absent || world?.ready === false)('a call that OpenAI’s clients offer', () => {
  it('is refused, with its code and field, where it cannot be served', async () => {
    const sdp = { 'content-type': 'application/sdp' };
    const offered = (body: string, headers: Record<string, string> = sdp) =>
      send(CALLS, { method: 'POST', headers, body });
    expect((await offered('hello')).refusal).toEqual([400, 'invalid_request', 'sdp']);
    expect((await offered('')).refusal).toEqual([400, 'invalid_request', 'sdp']);
    expect((await offered(`v=0\r\n${'a=x\r\n'.repeat(20_000)}`)).refusal).toEqual([
      413,
      'payload_too_large',
      null,
    ]);
    const json = { 'content-type': 'application/json' };
    expect((await offered('{}', json)).refusal.slice(0, 2)).toEqual([415, 'unsupported_media_type']);
    expect((await sendForm({ session: '{}' })).refusal).toEqual([400, 'invalid_request', 'sdp']);
    const withSession = async (session: unknown) =>
      (await sendForm({ sdp: 'v=0', session: JSON.stringify(session) })).refusal;
    expect(await withSession([])).toEqual([400, 'invalid_request', 'session']);
    expect(await withSession({ tools: [{ type: 'mcp' }] })).toEqual([
      400,
      'invalid_request',
      'session.tools.0.type',
    ]);
    expect(await withSession({ type: 'transcription' })).toEqual([400, 'invalid_request', 'session.type']);
    expect(await withSession({ model: 'x'.repeat(200) })).toEqual([400, 'invalid_request', 'model']);
    expect(await withSession({ type: 'realtime' })).toEqual([400, 'invalid_request', 'sdp']);
  });
});

const withoutPeers = absent || peersMissing();
if (withoutPeers) console.warn(`the tests with aiortc are skipped: ${withoutPeers}`);

describe.skipIf(withoutPeers || world?.ready === false)('aiortc and OpenAI’s client of PyPI', () => {
  it('talk and listen by WebRTC, and hang up; every event is of their types', async () => {
    const args = [
      'test/foreign/openai/webrtc_client.py',
      `${world!.url}/v1`,
      world!.ours.key,
      raw('question.raw', 24_000),
    ];
    const { stdout } = await promisify(execFile)('python3', args, {
      env: { ...process.env, PYTHONPATH: peersFolder },
    });
    const said = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(said).toMatchObject({
      status: 201,
      instructions: 'You run a shop.',
      refused: 'invalid_value',
      deltas: 0,
      strangers: [],
    });
    expect(said.location).toMatch(/^\/v1\/realtime\/calls\/ocl_/);
    expect(said.answer).toMatch(/^We are open from nine to five/);
    expect(said.loud).toBeGreaterThan(100);
    expect(plain(said.transcript)).toMatch(/^printing in the only sense/);
  }, 150_000);
});

interface AgentPage {
  readonly id: string;
  readonly state: string;
  readonly called: { order: string }[];
  readonly errors: string[];
  readonly events: { type: string }[];
  readonly session: { sendMessage(text: string): void; interrupt(): void };
  said(): string;
  level(): number;
}
declare const page: AgentPage;
declare const begin: (given: { url: string; key: string }) => Promise<void>;

const withoutAgents = absent || browserAbsent || agentsMissing();
if (withoutAgents) console.warn(`the tests with OpenAI’s agents SDK in a page are skipped: ${withoutAgents}`);

describe.skipIf(withoutAgents || world?.ready === false)('OpenAI’s agents SDK in a page', () => {
  it('calls with a client secret, uses its function, and is spoken to', async () => {
    const opened = await openPage(Buffer.alloc(16_000 * 120));
    const origins = { origins: [opened.origin] };
    expect((await sendJson('/v1/omni/origins', 'PUT', origins, world!.ours.session)).status).toBe(200);
    const session = { type: 'realtime', model: 'gpt-realtime' };
    const minted = await sendJson('/v1/realtime/client_secrets', 'POST', { session });
    const key = String(minted.json?.value);
    expect(key).toMatch(/^ek_/);
    await opened.page.addScriptTag({ path: agentsBundle });
    await opened.page.addScriptTag({ path: join(import.meta.dirname, 'agents-page.js') });
    await opened.page.evaluate((given) => begin(given), { url: `${world!.url}${CALLS}`, key });
    const until = (is: () => boolean) => opened.page.waitForFunction(is, null, { timeout: 60_000 });
    await opened.page.evaluate(() => page.session.sendMessage('Where is order 4711?'));
    await until(() => page.level() > 0.05);
    await until(() => page.said().includes('It ships on Friday.'));
    expect(await opened.page.evaluate(() => page.called)).toEqual([{ order: '4711' }]);
    expect(await opened.page.evaluate(() => page.errors)).toEqual([]);
  }, 180_000);
});
