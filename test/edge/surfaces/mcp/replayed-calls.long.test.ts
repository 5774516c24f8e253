// @requirement Test kit: One command turns a recorded call into a test.
// @requirement MCP: Assistants play tests.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServerApi } from '../../../../src/apps/testkit/index.ts';
import type { World } from '../../../contract/world.ts';
import type { ScriptedEndpoint } from '../../../conversation/brains/endpoint/scripted-endpoint.ts';
import { pollDelay } from '../../../poll.ts';
import { dataFolder, Running } from '../../../running-server.ts';
import { assistantOf, LONG, leaveAll, SUITE, use, worldWithOrders } from './assistant.ts';

let world: World;
let model: ScriptedEndpoint;
beforeAll(async () => {
  ({ model, world } = await worldWithOrders({ TRUNKLINE_RECORDING_FORMAT: 'flac' }));
}, 120_000);
afterAll(async () => {
  await model?.close();
  await leaveAll();
  await world?.stop();
});

async function playedBy(client: Client, given: Record<string, unknown>) {
  const { isError, json } = await use(client, 'play_test', given);
  expect(isError, JSON.stringify(json)).toBe(false);
  const look = () => use(client, 'get_test_run', { run_id: json.run_id });
  let run = await look();
  while (run.json.status === 'playing') {
    await pollDelay();
    run = await look();
  }
  return run.json as {
    status: string;
    passed: boolean;
    changed?: string[];
    scenarios: { calls: string[]; faults: string[]; steps: { caller: string; tools: object[] }[] }[];
  };
}

it('holds a recorded call again, with its caller and its tools, and tells what is otherwise', async (context) => {
  if (!world.ready) context.skip();
  const client = await assistantOf(world.url, world.ours.key);
  const agent = { name: 'Orders', voice_id: 'joe_en_us', recordings_enabled: true };
  const { json: made } = await use(client, 'create_agent', { agent });
  const suite = SUITE.replace(/agent: .*/, `agent_id: ${String(made.id)}`);
  const held = await playedBy(client, { suite, only: 'is told', agent_id: made.id });
  const call_id = held.scenarios[0]?.calls[0] as string;
  const { json: record } = await use(client, 'get_call', { call_id });
  expect(record).toMatchObject({ tool_calls: [{ name: 'look_up_order', result: { day: 'Friday' } }] });
  const again = await playedBy(client, { replay: call_id });
  expect(again).toMatchObject({
    status: 'over',
    passed: true,
    scenarios: [
      {
        faults: [],
        steps: [{ caller: expect.stringMatching(/order/i), tools: [{ name: 'look_up_order' }] }],
      },
    ],
  });
  expect(again.changed?.filter((what) => !/answered after|heard/.test(what))).toEqual([]);
  expect(again.scenarios[0]?.calls[0]).not.toBe(call_id);
  for (const replay of ['../agents', `${call_id}/recording`])
    expect(await use(client, 'play_test', { replay })).toMatchObject({
      isError: true,
      json: { error: { code: 'invalid_request', param: 'replay' } },
    });
  const foreign = await use(await assistantOf(world.url, world.theirs.key), 'play_test', { replay: call_id });
  expect(foreign).toMatchObject({
    isError: true,
    json: { error: { code: 'invalid_request', param: 'replay' } },
  });
}, 240_000);

it('removes at its start the agent of a run whose process was killed', async (context) => {
  if (!world.ready) context.skip();
  const folder = dataFolder();
  const settings = {
    TRUNKLINE_DATA: folder,
    TRUNKLINE_MCP: 'true',
    ...(process.env.TRUNKLINE_MODELS ? { TRUNKLINE_MODELS: process.env.TRUNKLINE_MODELS } : {}),
  };
  const names = () => {
    const database = new Database(join(folder, 'trunkline.db'), { readonly: true });
    const rows = database.prepare('SELECT id FROM agents ORDER BY id').pluck().all() as string[];
    database.close();
    return rows;
  };
  const killed = new Running(['serve'], settings);
  const [, url = ''] = await killed.line(/^ready (http:\S+)/);
  await expect.poll(async () => (await fetch(`${url}/readyz`)).ok, { timeout: 60_000 }).toBe(true);
  const minted = await fetch(`${url}/v1/sandbox/keys`, { method: 'POST' });
  const { api_key: key } = (await minted.json()) as { api_key: string };
  const api = new ServerApi(url, key);
  const { id: stored } = await api.send<{ id: string }>('POST', '/v1/agents', { name: 'Kept' });
  const client = await assistantOf(url, key);
  await use(client, 'play_test', { suite: LONG });
  await expect.poll(() => readdirSync(join(folder, 'agents-of-tests')).length, { timeout: 20_000 }).toBe(1);
  expect(names()).toHaveLength(2);
  killed.child.kill('SIGKILL');
  await killed.code();
  expect(names()).toHaveLength(2);
  await new Running(['serve'], settings).line(/^ready (http:\S+)/);
  expect(names()).toEqual([stored]);
  expect(readdirSync(join(folder, 'agents-of-tests'))).toEqual([]);
}, 240_000);
