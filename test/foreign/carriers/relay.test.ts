import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../../conversation/brains/endpoint/scripted-endpoint.ts';
import { relayFolder, relayMissing } from '../../edge/surfaces/compat/vendors.ts';
import { pollDelay } from '../../poll.ts';

interface Report {
  readonly turns: readonly string[];
  readonly unknown: readonly object[];
  readonly end: object | null;
  readonly refused: object | null;
}

interface Call {
  readonly call_id: string;
  readonly status: string;
}

const missing = relayMissing();
const model = missing ? null : await ScriptedEndpoint.start(ORDERS);
afterAll(() => model?.close());
const world = missing
  ? null
  : await World.open({ settings: { TRUNKLINE_BRAIN_URL: model!.url, TRUNKLINE_BRAIN_MODEL: 'scripted' } });
afterAll(() => world?.stop());

async function send<Answer>(path: string, body?: object): Promise<Answer> {
  const { status, json, text } = await world!.send(path, {
    headers: { authorization: `Bearer ${world!.ours.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  expect(status, text).toBeLessThan(300);
  return json as Answer;
}

async function saidOnRecord(): Promise<string[]> {
  for (;;) {
    const { data } = await send<{ data: Call[] }>('/v1/omni/calls');
    const ended = data.find(({ status }) => status === 'completed');
    if (ended !== undefined) {
      const { transcript } = await send<{ transcript: { entries: { role: string; text: string }[] } }>(
        `/v1/omni/calls/${ended.call_id}`,
      );
      return transcript.entries.map(({ role, text }) => `${role}: ${text}`);
    }
    await pollDelay();
  }
}

describe.skipIf(missing || world?.ready === false)('ConversationRelay', { timeout: 120_000 }, () => {
  it('is opened by the TwiML of twilio, and talks with the messages of Twilio’s Agent Connect', async () => {
    const { id } = await send<{ id: string }>('/v1/agents', {
      name: 'Maya',
      persona: 'You run a shop.',
      greeting: 'Hello {{first_name}}, how can I help?',
    });
    const url = `${world!.url.replace('http', 'ws')}/v1/relay/twilio`;
    const args = [join(import.meta.dirname, 'relay.py'), url, world!.ours.key, id];
    const { stdout } = await promisify(execFile)('python3', args, {
      env: { ...process.env, PYTHONPATH: relayFolder },
    });
    const { turns, ...rest } = JSON.parse(stdout) as Report;
    expect(turns[0]).toBe('Hello Ada, how can I help?');
    expect(turns[1]).toMatch(/^We are open from nine to five, from Monday to Friday\./);
    expect(turns).toHaveLength(3);
    expect(rest).toMatchObject({
      unknown: [],
      end: null,
      refused: { reason: 'failed', code: 'invalid_api_key' },
    });
    expect((await saidOnRecord()).slice(0, 3)).toEqual([
      'agent: Hello Ada, how can I help?',
      'user: When are you open?',
      'agent: We are open from nine',
    ]);
  });
});
