// @requirement Importers: Agents of Vapi, ElevenLabs and Retell are imported, and what has no counterpart is listed.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { compileProgram, dataFolder, Running, root } from '../../running-server.ts';

const EXPORTED = join(root, 'test/apps/importers/exported');
let world: World;
beforeAll(async () => {
  await compileProgram();
  world = await World.open();
}, 240_000);
afterAll(() => world?.stop());

const listed = async (path: string) => {
  const { json } = await world.send(path, { headers: { authorization: `Bearer ${world.ours.key}` } });
  return json?.data as Record<string, unknown>[];
};
const there = () => ['--url', world.url, '--key', world.ours.key];

it.each([
  ['vapi', ['vapi.json']],
  ['elevenlabs', ['elevenlabs.json']],
  ['retell', ['retell-agent.json', 'retell-llm.json']],
])('makes the agent that %s exported, with its tools', async (platform, names) => {
  const files = names.map((name) => join(EXPORTED, name));
  const run = new Running(['import', ...files, '--from', platform, ...there()]);
  expect(await run.code(), run.errors).toBe(0);
  const [, id] = await run.line(/^agent {4}(agt_\w{20})$/);
  const agent = (await listed('/v1/agents')).find((one) => one.id === id);
  expect(agent).toMatchObject({ name: 'Acme Dental', recordings_enabled: true, published_version: 1 });
  const tools = await listed('/v1/tools');
  const bound = (agent?.tool_ids ?? []) as string[];
  expect(bound.length).toBeGreaterThan(0);
  for (const tool of bound) expect(tools.map((one) => one.id)).toContain(tool);
  expect(run.errors).toMatch(/^changed {2}/m);
  expect(run.errors).toMatch(/^left {5}/m);
});

it('takes the tools back where the agent is refused', async () => {
  const before = (await listed('/v1/tools')).length;
  const run = new Running([
    'import',
    join(EXPORTED, 'vapi.json'),
    '--from',
    'vapi',
    '--voice',
    'nobody',
    ...there(),
  ]);
  expect(await run.code()).toBe(2);
  expect(run.errors).toMatch(/^error: POST \/v1\/agents: 4\d\d .*voice/m);
  expect(await listed('/v1/tools')).toHaveLength(before);
});

it('prints bodies where no server is named, and gives a terminal none of the file’s own commands', async () => {
  const file = join(dataFolder(), 'hostile.json');
  const assistant = JSON.parse(readFileSync(join(EXPORTED, 'vapi.json'), 'utf8'));
  writeFileSync(file, JSON.stringify({ ...assistant, '\u001b[2J\u202eevil': 1 }));
  const run = new Running(['import', file, '--from', 'vapi']);
  expect(await run.code()).toBe(0);
  expect(JSON.parse(run.lines.join('\n'))).toMatchObject({
    agent: { name: 'Acme Dental' },
    tools: [{ name: 'book_visit' }],
  });
  expect(run.errors).toMatch(/^left {6}\[2J evil$/m);
  expect(run.errors).not.toContain('\u001b');
});

it('makes nothing where it only looks, and keeps secrets to the file that is saved for one person', async () => {
  const assistant = JSON.parse(readFileSync(join(EXPORTED, 'vapi.json'), 'utf8'));
  const [file, saved] = ['in.json', 'out.json'].map((name) => join(dataFolder(), name)) as [string, string];
  const tool = assistant.model.tools[2];
  tool.server = {
    url: 'https://u:pass-word@a.example.com/b?token=abc123',
    headers: { 'x-key': 'Bearer xyz789' },
  };
  writeFileSync(file, JSON.stringify(assistant));
  writeFileSync(saved, '', { mode: 0o644 });
  const before = (await listed('/v1/agents')).length;
  const run = new Running(['import', file, '--from', 'vapi', '--dry-run', ...there()]);
  expect(await run.code(), run.errors).toBe(0);
  expect(await listed('/v1/agents')).toHaveLength(before);
  const printed = run.lines.join('\n');
  expect(JSON.parse(printed).tools[0]).toMatchObject({
    url: 'https://…@a.example.com/b?…',
    headers: { 'x-key': '…' },
  });
  expect(printed + run.errors).not.toMatch(/pass-word|abc123|xyz789/);
  const stored = new Running(['import', file, '--from', 'vapi', '--save', saved]);
  expect(await stored.code(), stored.errors).toBe(0);
  expect(readFileSync(saved, 'utf8')).toContain('Bearer xyz789');
  expect(statSync(saved).mode & 0o777).toBe(0o600);
});

it.each([
  [['--from', 'bland'], 'error: --from must be one of vapi, elevenlabs, retell, not bland'],
  [['--from', 'retell'], 'error: the file is not a Retell agent: response_engine is missing'],
  [
    ['--from', 'vapi', '--url', 'http://127.0.0.1:1'],
    'error: http://127.0.0.1:1 needs a key: give --key or set TRUNKLINE_KEY',
  ],
])('says of %j what is wrong', async (options, said) => {
  const run = new Running(['import', join(EXPORTED, 'vapi.json'), ...options]);
  expect(await run.code()).toBe(2);
  expect(run.errors).toContain(said);
});
