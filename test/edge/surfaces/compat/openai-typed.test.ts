// @requirement Vendors' clients: Typed items of OpenAI's clients that wait together are a turn of at most 4,000 characters and what was typed before.
import { describe, expect, it } from 'vitest';
import type { CallConfiguration } from '../../../../src/conversation/calls/index.ts';
import { RealtimeConversation } from '../../../../src/edge/surfaces/compat/openai/conversation.ts';
import { DEFAULTS } from '../../../../src/edge/surfaces/compat/openai/settings.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';

/** Opens a conversation in which every recording is recognized as `recognized`. */
function opened(recognized = '') {
  const did: [string, string][] = [];
  const errors: string[] = [];
  const controls = {
    typedTurn: (text: string) => void did.push(['typed', text]),
    injectContext: (text: string) => void did.push(['context', text]),
    respond: (text: string) => did.push(['respond', text]) > 0,
  };
  const call = {
    controls,
    configure: () => undefined,
    heard: () => true,
    end: () => undefined,
    closing: () => undefined,
    closed: () => undefined,
  };
  const conversation = new RealtimeConversation(
    { clock: new ManualClock(), recognize: () => Promise.resolve(recognized) },
    { callId: 'ocl_1', begin: () => call as never, abandon: () => undefined },
    {
      requestId: 'request',
      bufferedBytes: 0,
      send: (data: string | Uint8Array) => {
        const event = JSON.parse(String(data));
        if (event.type === 'error') errors.push(`${event.error.code} ${event.error.param}`);
        return true;
      },
      close: () => undefined,
    },
    { principal: {} as never, model: 'gpt-realtime', dialect: 'ga', settings: DEFAULTS },
  );
  const send = (event: object) => conversation.onMessage(Buffer.from(JSON.stringify(event)), false);
  const bring = (part: object) =>
    send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [part] } });
  send({ type: 'session.update', session: { type: 'realtime' } });
  conversation.acknowledge({ voice: { id: 'vc_1' }, warnings: [] } as unknown as CallConfiguration);
  return {
    did,
    errors,
    send,
    type: (text: string) => bring({ type: 'input_text', text }),
    record: () => bring({ type: 'input_audio', audio: Buffer.alloc(4800).toString('base64') }),
    /** A recognized turn of the caller, which no response was asked for. */
    say: (text: string) => conversation.transcript({ role: 'caller', turnId: 0, text, final: true } as never),
  };
}

const known = (text: string) => ['context', `The caller has typed: ${text}`];

describe('typed items that wait together', () => {
  it('are the turn as far as the last of them go, and the earlier ones are known', async () => {
    const { did, errors, send, type } = opened();
    type('x'.repeat(4001));
    expect(errors).toEqual(['invalid_value item.content']);
    for (const letter of ['a', 'b', 'c']) type(letter.repeat(1500));
    send({ type: 'response.create' });
    await expect.poll(() => did.length).toBe(2);
    expect(did).toEqual([known('a'.repeat(1500)), ['typed', `${'b'.repeat(1500)}\n${'c'.repeat(1500)}`]]);
  });

  it.each([
    [1999, [['typed', `${'a'.repeat(1999)}\n${'b'.repeat(2000)}`]]],
    [2000, [known('a'.repeat(2000)), ['typed', 'b'.repeat(2000)]]],
  ])(
    'are a turn of at most 4,000 characters with the end of each line: %i before 2,000',
    async (characters, expected) => {
      const { did, send, type } = opened();
      type('a'.repeat(characters));
      type('b'.repeat(2000));
      send({ type: 'response.create' });
      await expect.poll(() => did.length).toBe(expected.length);
      expect(did).toEqual(expected);
    },
  );

  it('are known by their last 8,000 characters, before a response and before what is spoken', async () => {
    const { did, send, type, say } = opened();
    const typeFour = () => {
      for (const letter of ['a', 'b', 'c', 'd']) type(letter.repeat(3500));
    };
    typeFour();
    send({ type: 'response.create' });
    await expect.poll(() => did.length).toBe(2);
    expect(did.splice(0)).toEqual([
      known(`${'a'.repeat(998)}\n${'b'.repeat(3500)}\n${'c'.repeat(3500)}`),
      ['typed', 'd'.repeat(3500)],
    ]);
    typeFour();
    say('hello');
    expect(did).toEqual([known(`${'b'.repeat(998)}\n${'c'.repeat(3500)}\n${'d'.repeat(3500)}`)]);
  });

  it('are at most 500: the oldest are forgotten', async () => {
    const { did, type, say } = opened();
    for (let at = 0; at <= 500; at++) type(`t${at}.`);
    say('hello');
    expect(did).toEqual([known(Array.from({ length: 500 }, (_, at) => `t${at + 1}.`).join('\n'))]);
  });

  it('are the last 4,000 characters of a recording with a longer text', async () => {
    const { did, send, record } = opened(`${'a'.repeat(3000)}${'b'.repeat(3000)}`);
    record();
    send({ type: 'response.create' });
    await expect.poll(() => did.length).toBe(1);
    expect(did).toEqual([['typed', `${'a'.repeat(1000)}${'b'.repeat(3000)}`]]);
  });
});

it('refuses instructions of a response that a session would refuse', async () => {
  const { did, errors, send } = opened();
  const ask = (instructions: unknown) => send({ type: 'response.create', response: { instructions } });
  ask('x'.repeat(16_001));
  ask(5);
  expect(errors).toEqual(Array(2).fill('invalid_value response.instructions'));
  ask('x'.repeat(16_000));
  await expect.poll(() => did.length).toBe(1);
  expect(did).toEqual([['respond', 'x'.repeat(16_000)]]);
  expect(errors).toHaveLength(2);
});
