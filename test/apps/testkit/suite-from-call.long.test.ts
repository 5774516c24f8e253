// @requirement Test kit: One command turns a recorded call into a test.
// @requirement Test kit: A recorded call replays on the sample clock through another version.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  readSuite,
  runSuites,
  ScriptedModels,
  ServerApi,
  type Suite,
} from '../../../src/apps/testkit/index.ts';
import { World } from '../../contract/world.ts';
import { compileProgram, Running } from '../../running-server.ts';

let world: World;
let models: ScriptedModels;
const folder = mkdtempSync(join(tmpdir(), 'from-call-'));
const callOf = (say: string) => [
  { after_tool: 'look_up_order', say },
  { when: '\\border\\b', call: { name: 'look_up_order', arguments: { order: '4711' } } },
  { when: 'open|hours', say: 'We open at nine.' },
  { say: 'How can I help?' },
];
beforeAll(async () => {
  await compileProgram();
  models = await ScriptedModels.start();
  const brains = { first: 'Your order ships on {day}.', second: 'I see, it leaves us on {day}.' };
  const TRUNKLINE_BRAINS = JSON.stringify(
    Object.entries(brains).map(([name, say]) => ({ name, url: models.add(callOf(say)), model: name })),
  );
  world = await World.open({ settings: { TRUNKLINE_BRAINS, TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true' } });
}, 120_000);
afterAll(async () => {
  models?.close();
  await world?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const environment: Record<string, string> = process.env.TRUNKLINE_MODELS
  ? { TRUNKLINE_MODELS: process.env.TRUNKLINE_MODELS }
  : {};

async function command(...args: string[]): Promise<Running> {
  const run = new Running(['test', ...args, '--url', world.url, '--key', world.ours.key], environment);
  expect(await run.code(), `${run.lines.join('\n')}${run.errors}`).toBe(0);
  return run;
}

it('makes a suite of a recorded call, and replays it on its clock through another version', async (context) => {
  if (!world.ready) context.skip();
  const api = new ServerApi(world.url, world.ours.key);
  const body = { name: 'Orders', brain: 'first', voice_id: 'joe_en_us', recordings_enabled: true };
  const { id: agent } = await api.send<{ id: string }>('POST', '/v1/agents', body);
  await api.send('PATCH', `/v1/agents/${agent}?draft=true`, { brain: 'second' });
  const held: Suite = {
    name: 'Held',
    agent_id: agent,
    tools: { look_up_order: { description: 'Where an order is', result: { day: 'Friday' }, delay_ms: 200 } },
    scenarios: [{ name: 'a', steps: [{ say: 'Where is my order, please?' }, { say: 'When do you open?' }] }],
  };
  const options = { api, similarity: null, persona: null, onResult: () => undefined };
  const playedBy = async (suite: Suite) => {
    const [result] = await runSuites([{ suite, file: '', folder, brain: null }], options);
    const call = result?.trials[0]?.call;
    expect(result?.trials[0]?.error).toBeNull();
    return { id: call?.callId as string, record: call?.record, steps: call?.steps ?? [] };
  };
  const call = await playedBy(held);
  expect(call.record?.tool_calls).toMatchObject([
    {
      name: 'look_up_order',
      arguments: { order: '4711' },
      result: { day: 'Friday' },
      took_ms: expect.any(Number),
    },
  ]);

  await command('--from-call', call.id, '--into', folder);
  expect(readdirSync(folder).sort()).toEqual([`${call.id}-1.wav`, `${call.id}-2.wav`, `${call.id}.yaml`]);
  const made = readSuite(readFileSync(join(folder, `${call.id}.yaml`), 'utf8'), 'made');
  expect(made.tools?.look_up_order?.answers).toMatchObject([
    { arguments: { order: '4711' }, result: { day: 'Friday' } },
  ]);
  // The tool's result can come from the record alone: this call has no other mock.
  const { steps } = await playedBy(made);
  expect(steps).toMatchObject([
    { heard: expect.stringMatching(/order/i), said: expect.stringContaining('Friday') },
    { heard: expect.stringMatching(/open/i), said: expect.stringContaining('nine') },
  ]);

  const again = await command('--replay', call.id, '--agent', agent, '--agent-version', '2');
  const changed = again.lines.filter((line) => line.startsWith('changed') && line.includes('said'));
  expect(changed, again.lines.join('\n')).toEqual([
    expect.stringMatching(
      /turn 1: said “.*Your order ships on Friday\.”, now “.*I see, it leaves us on Friday\.”/,
    ),
  ]);
  expect(again.lines.join('\n')).not.toMatch(/called|was not heard|only now/);
  const { data } = await api.send<{ data: { call_id: string }[] }>('GET', '/v1/omni/calls?limit=1');
  const replayed = await api.record(data[0]?.call_id as string);
  expect(replayed).toMatchObject({ agent_version: 2, tool_calls: [{ result: { day: 'Friday' } }] });
  const saidAt = (record: typeof replayed | undefined) =>
    (record?.transcript?.entries ?? []).filter(({ role }) => role === 'user').map(({ start_ms }) => start_ms);
  const [before, now] = [saidAt(call.record), saidAt(replayed)];
  expect(now).toHaveLength(2);
  for (const [at, ms] of before.entries()) expect(Math.abs(ms - (now[at] as number))).toBeLessThan(250);
}, 300_000);
