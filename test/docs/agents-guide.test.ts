import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Value } from 'typebox/value';
import { expect, it } from 'vitest';
import { brainNames } from '../../src/main/brain-settings.ts';
import { CLIENT_MESSAGES, readClientMessage, SERVER_EVENTS } from '../../src/media/wire/omni/index.ts';
import { OneKeyAccess } from '../edge/server/fixtures/access.ts';
import { openAgents } from '../edge/surfaces/agents/server.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/agents.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text]) => text!);

it('has commands that work from the first to the last', async () => {
  const { url, send } = await openAgents();
  const commands = blocks('sh');
  expect(commands.length).toBeGreaterThan(2);
  const script = ['set -eo pipefail', ...commands].join('\n');
  const cwd = mkdtempSync(join(tmpdir(), 'guide-'));
  const env = { ...process.env, URL: url, KEY: OneKeyAccess.KEY };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env, cwd });
  expect(stdout).toMatch(/^agt_[0-9A-Za-z]{20}$/m);
  const { data } = (await send('GET', '/v1/agents')).body as unknown as { data: Record<string, unknown>[] };
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({ name: 'Front desk', published_version: 5, latest_version: 5 });
  expect(data[0]?.tool_ids).toHaveLength(1);
}, 30_000);

it('shows frames as they are, and a list of models that can be read', () => {
  const shown = blocks('json').map((text) => JSON.parse(text) as Record<string, unknown>);
  expect(shown.length).toBeGreaterThan(4);
  for (const frame of shown) {
    if (Array.isArray(frame)) expect(brainNames({ brains: JSON.stringify(frame) })).toEqual(['fast', 'big']);
    else if (typeof frame.type === 'string') expect(readClientMessage(frame)).toEqual(frame);
    else if ('event' in frame) {
      const schema = SERVER_EVENTS[frame.event as keyof typeof SERVER_EVENTS];
      expect(Value.Check(schema, frame), JSON.stringify(frame)).toBe(true);
    }
  }
});

it('names every field that a profile has, and every frame of this guide’s', async () => {
  const { AGENT_FIELDS } = await import('../../src/conversation/agents/index.ts');
  for (const field of Object.keys(AGENT_FIELDS).filter((name) => name !== 'name'))
    expect(guide, field).toContain(`\`${field}\``);
  for (const name of ['user_text', 'context', 'capture'] as const) {
    expect(guide).toContain(name);
    expect(CLIENT_MESSAGES[name]).toBeDefined();
  }
});
