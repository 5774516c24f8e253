// @requirement Agents: Agents have the built-in tools `end_call`, `hand_over`, `capture`, `remember`, `wait_for`, `send_message` and `send_keys`.
// @requirement Messages: `send_message` is on by profile, and writes to the caller alone.
import { describe, expect, it } from 'vitest';
import type { AgentMessaging } from '../../../../src/conversation/calls/index.ts';
import { agentSaid, hangUp, openAgent } from './agent.ts';
import { absent } from './server.ts';

describe.skipIf(Boolean(absent))('an agent that may send messages', () => {
  it('writes to its caller, and to nobody whose number it was not called from', async () => {
    const sent: unknown[] = [];
    const texts: AgentMessaging = {
      send: async (_scope, text) => (sent.push(text) > 1 ? 'opted_out' : 'queued'),
    };
    const write = { tool: 'send_message', args: { body: 'Your table is booked.' } };
    const elsewhere = { tool: 'send_message', args: { body: 'Hello.', to: '+15005550099' } };
    const answers = [write, 'Sent.', elsewhere, 'No.', write, 'Not wanted.'];
    const opened = await openAgent({ builtin_tools: ['send_message'] }, { answers, texts });
    const { client } = await opened.connect({ meta: { external_id: '+15005550007' } });
    for (const [asks, says] of [
      ['Write it to me.', /^Sent/],
      ['Write to somebody else.', /^No/],
      ['Write again.', /^Not wanted/],
    ] as const) {
      client.control({ type: 'user_text', text: asks });
      await agentSaid(client, says);
    }
    const text = { agentId: opened.agent.id, to: '+15005550007', body: 'Your table is booked.' };
    expect(sent).toEqual([text, text]);
    const results = opened.asked.at(-1)?.messages.filter(({ role }) => role === 'tool');
    expect(results?.map(({ content }) => /sent|error|wants no/.exec(content)?.[0])).toEqual([
      'sent',
      'error',
      'error',
    ]);
    await hangUp(client);
  });

  it('offers no messages where nothing carries them', async () => {
    const opened = await openAgent({ builtin_tools: ['send_message', 'end_call'] });
    const { client } = await opened.connect();
    client.control({ type: 'user_text', text: 'Hello.' });
    await agentSaid(client, /All right/);
    expect(opened.asked[0]?.tools.map(({ name }) => name)).toEqual(['end_call']);
    await hangUp(client);
  });
});
