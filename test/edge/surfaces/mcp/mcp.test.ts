// @requirement MCP: `/mcp` is off by default, and its tools need the scopes of the key.
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSuite, runSuites, ServerApi } from '../../../../src/apps/testkit/index.ts';
import { World } from '../../../contract/world.ts';
import type { ScriptedEndpoint } from '../../../conversation/brains/endpoint/scripted-endpoint.ts';
import { itLong } from '../../../long-tests.ts';
import { dataFolder } from '../../../running-server.ts';
import { assistantOf, LONG, leaveAll, SUITE, use, worldWithOrders } from './assistant.ts';

let world: World;
const clientWith = (key: string) => assistantOf(world.url, key);
let model: ScriptedEndpoint;
beforeAll(async () => {
  ({ model, world } = await worldWithOrders());
}, 120_000);
afterAll(async () => {
  await model?.close();
  await leaveAll();
  await world?.stop();
});

// @requirement MCP: Assistants read agents, calls and transcripts.
it('lets an assistant make an agent, change it, publish it and read its prompt', async () => {
  const client = await clientWith(world.ours.key);
  expect(client.getServerVersion()).toMatchObject({ name: 'trunkline' });
  const made = await use(client, 'create_agent', {
    agent: { name: 'Front desk', persona: 'You are Maya of Acme Dental.' },
  });
  expect(made).toMatchObject({ isError: false, json: { object: 'agent', version: 1 } });
  const agent_id = made.json.id as string;
  const draft = { agent_id, draft: true, changes: { greeting: 'Good morning.' } };
  expect((await use(client, 'update_agent', draft)).json).toMatchObject({
    latest_version: 2,
    published_version: 1,
  });
  const published = await use(client, 'publish_agent', { agent_id, publish: { version: 2 } });
  expect(published.json).toMatchObject({ published_version: 2, greeting: 'Good morning.' });
  expect((await use(client, 'get_agent_prompt', { agent_id })).json.system).toContain('Maya');
  expect((await use(client, 'list_calls', { limit: 5 })).json).toMatchObject({ object: 'list', data: [] });
});

it('tells what the API says to a wrong argument, and never shows another organization’s', async () => {
  const client = await clientWith(world.ours.key);
  const wrong = await use(client, 'create_agent', { agent: { name: 'X', voice_id: 7 } });
  expect(wrong).toMatchObject({
    isError: true,
    json: { error: { code: 'invalid_request', param: 'voice_id' } },
  });
  const made = await use(client, 'create_agent', { agent: { name: 'Ours' } });
  const theirs = await clientWith(world.theirs.key);
  const asked = await use(theirs, 'get_agent', { agent_id: made.json.id });
  expect(asked).toMatchObject({ isError: true, json: { error: { code: 'not_found' } } });
  const hostile = await use(client, 'get_agent', { agent_id: '../omni/calls' });
  expect(hostile).toMatchObject({ isError: true, json: { error: { code: 'not_found' } } });
});

it('lists only what the key’s scopes open, and refuses the rest', async () => {
  const answer = await world.send('/v1/keys', {
    method: 'POST',
    headers: { authorization: `Bearer ${world.ours.session}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'reader', environment: 'sandbox', scopes: ['omni:read'] }),
  });
  const client = await clientWith(String(answer.json?.api_key ?? answer.json?.key));
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('list_calls');
  expect(names).not.toContain('create_agent');
  expect(names).not.toContain('play_test');
  const refused = await use(client, 'create_agent', { agent: { name: 'X' } });
  expect(refused).toMatchObject({ isError: true, json: { error: { code: 'forbidden' } } });
  const silent = await use(client, 'play_test', { suite: SUITE });
  expect(silent).toMatchObject({ isError: true, json: { error: { code: 'forbidden' } } });
});

it('is closed without a key, and to the methods that a server without sessions has not', async () => {
  await expect(clientWith('svc_test_nonsense')).rejects.toThrow();
  expect((await world.send('/mcp')).status).toBe(405);
});

// @requirement MCP: Assistants play tests.
it('plays a test for an assistant, judges it, and shows it to nobody else', async (context) => {
  if (!world.ready) context.skip();
  const client = await clientWith(world.ours.key);
  const started = await use(client, 'play_test', { suite: SUITE });
  expect(started).toMatchObject({ isError: false, json: { status: 'playing' } });
  const { run_id } = started.json;
  expect(await use(client, 'play_test', { suite: SUITE })).toMatchObject({
    isError: true,
    json: { error: { code: 'concurrency_limit_exceeded' } },
  });
  const theirs = await clientWith(world.theirs.key);
  const foreign = { isError: true, json: { error: { code: 'not_found', param: 'run_id' } } };
  expect(await use(theirs, 'get_test_run', { run_id, wait_s: 0 })).toMatchObject(foreign);
  let run = await use(client, 'get_test_run', { run_id });
  while (run.json.status === 'playing') run = await use(client, 'get_test_run', { run_id });
  expect(run).toMatchObject({
    isError: false,
    json: {
      status: 'over',
      passed: false,
      suite: 'Hours',
      scenarios: [
        { name: 'is told', passed: true, faults: [], steps: [{ tools: [{ name: 'look_up_order' }] }] },
        {
          name: 'is told wrongly',
          passed: false,
          faults: [
            expect.stringContaining('says “monday”; got: '),
            expect.stringMatching(/means “The cat sleeps\.” \(0\.6 or more\); got: -?0\.\d/),
          ],
        },
      ],
    },
  });
  const [{ calls }] = run.json.scenarios as [{ calls: string[] }];
  const record = await use(client, 'get_call', { call_id: calls[0] });
  expect(record).toMatchObject({ isError: false, json: { status: 'completed' } });
  const { data } = (await use(client, 'list_agents')).json as { data: { name: string }[] };
  expect(data.map(({ name }) => name)).not.toContain('Hours');
}, 240_000);

it.each<[string, Record<string, unknown>, RegExp]>([
  ['no YAML', { suite: 'name: [' }, /^suite:1: /],
  [
    'an unknown step',
    { suite: SUITE.replace('say:', 'shout:') },
    /^suite:8: scenarios\.0\.steps\.0 must have exactly one of/,
  ],
  [
    'files of the server',
    { suite: SUITE.replace(/say: Hello.*/, 'audio: /etc/passwd') },
    /audio files are not supported/,
  ],
  [
    'a persona',
    { suite: SUITE.replace(/say: Hello.*/, 'persona: { who: a, goal: b, turns: 2 }') },
    /personas are not supported/,
  ],
  [
    'a pattern',
    { suite: SUITE.replace('says: friday', 'matches: "(a+)+$"') },
    /matches is only supported by/,
  ],
  ['a model', { suite: `${SUITE}model: [{ say: hello }]\n` }, /own model is used/],
  ['an hour of silence', { suite: SUITE.replace(/- say: Hello.*/, '- silence_ms: 600000') }, /at most 60 s/],
  ['too many repeats', { suite: `${SUITE}repeat: 100\n` }, /repeat must be at most 3/],
  ['too long a suite', { suite: 'x'.repeat(64_001) }, /suite/],
  [
    'waits before interruptions',
    { suite: SUITE.replace(/- say: Hello.*/, '- interrupt: { after_ms: 60001, say: a }') },
    /at most 60 s/,
  ],
  [
    'an answer that takes long',
    { suite: SUITE.replace('says: friday', 'within_ms: 60001') },
    /within_ms must be at most 60000/,
  ],
  [
    'what holds itself',
    { suite: SUITE.replace('{ day: Friday }', '&r { self: *r }') },
    /cannot be converted to JSON/,
  ],
  ['what nests too deep', { suite: '['.repeat(63_000) }, /is nested too deeply/],
  [
    'what takes long to read',
    { suite: `a: {${Array.from({ length: 16_000 }, (_, n) => n.toString(36)).join(',')}}` },
    /takes more than 2 s|suite:1/,
  ],
  ['a number', { suite: 7 }, /suite/],
  ['nothing', {}, /suite or replay/],
  ['two things', { suite: SUITE, replay: 'ocl_1' }, /suite or replay/],
  ['a version of no agent', { suite: SUITE, version: 2 }, /version requires agent_id/],
  ['an unknown argument', { suite: SUITE, speed: 2 }, /.+/],
])('refuses to play %s', async (_what, given, said) => {
  const client = await clientWith(world.ours.key);
  const { isError, json } = await use(client, 'play_test', given);
  expect({ isError, json }).toMatchObject({ isError: true, json: { error: { code: 'invalid_request' } } });
  expect((json.error as { message: string }).message).toMatch(said);
});

it('says of a run whose agent is not there what is wrong', async () => {
  const client = await clientWith(world.ours.key);
  const suite = SUITE.replace(/agent: .*/, 'agent_id: agt_00000000000000000000');
  const { run_id } = (await use(client, 'play_test', { suite })).json;
  let run = await use(client, 'get_test_run', { run_id });
  while (run.json.status === 'playing') run = await use(client, 'get_test_run', { run_id });
  const error = 'there is no agent agt_00000000000000000000';
  expect(run.json).toMatchObject({ status: 'failed', passed: false, error });
}, 120_000);

async function begun(client: Client, key = world.ours.key): Promise<string> {
  const { json } = await use(client, 'play_test', { suite: LONG });
  await expect.poll(() => namesOf(key)).toContain('Hours');
  return String(json.run_id);
}

async function namesOf(key: string): Promise<string[]> {
  const { data } = (await use(await clientWith(key), 'list_agents')).json as { data: { name: string }[] };
  return data.map(({ name }) => name);
}

it('cancels a run only for the key that plays it, and removes its temporary agent', async () => {
  const client = await clientWith(world.ours.key);
  const run_id = await begun(client);
  const foreign = await use(await clientWith(world.theirs.key), 'cancel_test_run', { run_id });
  expect(foreign).toMatchObject({ isError: true, json: { error: { code: 'not_found', param: 'run_id' } } });
  const before = performance.now();
  expect(await use(client, 'cancel_test_run', { run_id })).toMatchObject({
    isError: false,
    json: { status: 'canceled', passed: false },
  });
  expect(performance.now() - before).toBeLessThan(9000);
  expect(await namesOf(world.ours.key)).not.toContain('Hours');
});

it('ends a run whose key is revoked, with the agent that it brought', async () => {
  const session = { authorization: `Bearer ${world.ours.session}`, 'content-type': 'application/json' };
  const scopes = ['omni:session', 'omni:read', 'speak:synthesize'];
  const body = JSON.stringify({ name: 'player', environment: 'live', scopes });
  const { json: made } = await world.send('/v1/keys', { method: 'POST', headers: session, body });
  const run_id = await begun(await clientWith(String(made?.api_key ?? made?.key)));
  const revoked = await world.send(`/v1/keys/${String(made?.id)}/revoke`, {
    method: 'POST',
    headers: session,
    body: '{}',
  });
  expect(revoked.status, revoked.text).toBe(200);
  const other = await clientWith(world.ours.key);
  const run = await use(other, 'get_test_run', { run_id });
  expect(run.json).toMatchObject({
    status: 'failed',
    error: 'the API key of the run was revoked or has expired',
  });
  expect(await namesOf(world.ours.key)).not.toContain('Hours');
});

it('keeps no sound of calls to which nobody listens', async (context) => {
  if (!world.ready) context.skip();
  const suite = readSuite(SUITE.replace(/- say: Hello.*\n.*/, '- silence_ms: 1'), 'suite');
  const api = new ServerApi(world.url, world.ours.key);
  const loaded = { suite, file: '', folder: '', brain: null };
  const options = { api, similarity: null, persona: null, only: 'is told', onResult: () => undefined };
  const [result] = await runSuites(
    [{ ...loaded, suite: { ...suite, scenarios: suite.scenarios.slice(0, 1) } }],
    {
      ...options,
      silent: true,
    },
  );
  expect(result?.trials[0]?.call).toMatchObject({ callId: expect.any(String), audio: null });
});

itLong(
  'ends runs when the server stops, and leaves no agent of theirs behind',
  async () => {
    const folder = dataFolder();
    const url = { TRUNKLINE_DATA: folder, TRUNKLINE_BRAIN_URL: model.url, TRUNKLINE_BRAIN_MODEL: 'scripted' };
    const stored = world;
    world = await World.open({ settings: { ...url, TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true' } });
    try {
      await begun(await clientWith(world.ours.key));
    } finally {
      await world.stop();
      world = stored;
    }
    const database = new Database(join(folder, 'trunkline.db'), { readonly: true });
    const names = database.prepare('SELECT id FROM agents').all();
    database.close();
    expect(names).toEqual([]);
  },
  120_000,
);
