import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { browserAbsent, openPage } from '../../browser.ts';
import { type Sent, World } from '../../contract/world.ts';
import {
  ORDERS,
  type Script,
  ScriptedEndpoint,
} from '../../conversation/brains/endpoint/scripted-endpoint.ts';
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
/** A question that names no order is answered in words, though the function is there. */
const ordersByNumber: Script = (request, response) => {
  const messages = request.body.messages as { role: string; content: unknown }[];
  const asked = JSON.stringify(messages.findLast(({ role }) => role === 'user') ?? '');
  const tools = asked.includes('4711') ? request.body.tools : undefined;
  return ORDERS({ ...request, body: { ...request.body, tools } }, response);
};
const model = absent ? null : await ScriptedEndpoint.start(ordersByNumber);
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
  readonly events: { type: string; [field: string]: unknown }[];
  readonly session: {
    readonly transport: { sendEvent(event: object): void };
    sendMessage(text: string): void;
    interrupt(): void;
  };
  said(): string;
  level(): number;
}
declare const page: AgentPage;
declare const begin: (given: { url: string; key: string }) => Promise<void>;

const withoutAgents = absent || browserAbsent || agentsMissing();
if (withoutAgents) console.warn(`the tests with OpenAI’s agents SDK in a page are skipped: ${withoutAgents}`);

describe.skipIf(withoutAgents || world?.ready === false)('OpenAI’s agents SDK in a page', () => {
  async function call(microphone: Buffer) {
    const opened = await openPage(microphone);
    const origins = { origins: [opened.origin] };
    expect((await sendJson('/v1/omni/origins', 'PUT', origins, world!.ours.session)).status).toBe(200);
    const session = { type: 'realtime', model: 'gpt-realtime' };
    const minted = await sendJson('/v1/realtime/client_secrets', 'POST', { session });
    const key = String(minted.json?.value);
    expect(key).toMatch(/^ek_/);
    await opened.page.addScriptTag({ path: agentsBundle });
    await opened.page.addScriptTag({ path: join(import.meta.dirname, 'agents-page.js') });
    await opened.page.evaluate((given) => begin(given), { url: `${world!.url}${CALLS}`, key });
    const id = await opened.page.evaluate(() => page.id);
    expect(id).toMatch(/^ocl_/);
    const until = (is: () => boolean) => opened.page.waitForFunction(is, null, { timeout: 60_000 });
    return { page: opened.page, id, key, until };
  }
  /** Resolves with the record of the call, once it is over. */
  async function ended(id: string) {
    const found = async () => (await send(`/v1/calls/${id}`, { method: 'GET' })).json;
    await vi.waitFor(async () => expect(await found()).toMatchObject({ state: 'ended' }), {
      timeout: 10_000,
      interval: 200,
    });
    return await found();
  }
  const silence = (seconds: number) => Buffer.alloc(16_000 * seconds);

  it('calls with a client secret, uses its function, is heard, and interrupts; a key of the project hangs up', async () => {
    const question = readFileSync(raw('question8.raw', 8_000));
    // The words come after the agent’s first answer, which lasts a few seconds.
    const called = await call(Buffer.concat([silence(15), question, silence(150)]));
    const { until, id, key } = called;
    await called.page.evaluate(() => page.session.sendMessage('Where is order 4711?'));
    await until(() => page.level() > 0.05);
    await until(() => page.said().includes('It ships on Friday.'));
    expect(await called.page.evaluate(() => page.called)).toEqual([{ order: '4711' }]);
    await until(() => /printing in the only sense/i.test(page.said().replace(/[^a-z ]/gi, '')));
    await until(() => page.events.some(({ delta }) => String(delta).startsWith('We are open')));
    await until(() => page.level() > 0.05);
    await called.page.evaluate(() => page.session.interrupt());
    await until(() => page.events.some(({ type }) => type === 'output_audio_buffer.cleared'));
    await until(() => page.level() < 0.01);
    const cancelled = { response: { status: 'cancelled', output: [{ status: 'incomplete' }] } };
    expect(
      await called.page.evaluate(() => page.events.findLast(({ type }) => type === 'response.done')),
    ).toMatchObject(cancelled);
    await called.page.evaluate(() => {
      const { item_id } = page.events.findLast(({ type }) => type === 'response.output_audio.done')!;
      const cut = { item_id, content_index: 0, audio_end_ms: 500 };
      page.session.transport.sendEvent({ type: 'conversation.item.truncate', ...cut });
    });
    await until(() => page.events.some(({ type }) => type === 'conversation.item.truncated'));
    await until(() => page.events.at(-1)?.type === 'conversation.item.retrieved');
    expect(await called.page.evaluate(() => page.errors)).toEqual([]);
    const hangUp = (by?: string) => send(`${CALLS}/${id}/hangup`, { method: 'POST' }, by);
    expect((await hangUp(world!.theirs.key)).refusal.slice(0, 2)).toEqual([404, 'not_found']);
    expect((await hangUp(key)).status).toBe(401);
    expect(await called.page.evaluate(() => page.state)).toBe('connected');
    expect((await hangUp()).status).toBe(200);
    await until(() => page.state === 'disconnected');
    expect(await ended(id)).toMatchObject({
      end_reason: 'client_gone',
      sessions: [{ status: 'completed', turns: 2 }],
    });
    expect((await hangUp()).refusal.slice(0, 2)).toEqual([404, 'not_found']);
    expect(await called.page.evaluate(() => page.errors)).toEqual([]);
  }, 180_000);

  it('ends its call, and the record, with its page', async () => {
    const called = await call(silence(60));
    await called.page.evaluate(() => page.session.sendMessage('When are you open?'));
    await called.until(() => page.level() > 0.05);
    expect(await called.page.evaluate(() => page.errors)).toEqual([]);
    await called.page.goto('about:blank');
    expect(await ended(called.id)).toMatchObject({
      end_reason: 'client_gone',
      sessions: [{ status: 'completed' }],
    });
  }, 120_000);
});
