// @requirement Vendors' clients: A supervisor of a call of OpenAI's clients is heard whatever the caller says or cancels.
import { expect, it } from 'vitest';
import { RealtimeConversation } from '../../../../src/edge/surfaces/compat/openai/conversation.ts';
import { DEFAULTS } from '../../../../src/edge/surfaces/compat/openai/settings.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';

interface Event {
  readonly type: string;
  readonly response_id?: string;
  readonly response?: { readonly id: string; readonly status: string };
}

const PCM = new Uint8Array(960);

function opened() {
  const sent: Event[] = [];
  const socket = {
    requestId: 'request',
    bufferedBytes: 0,
    send: (data: string | Uint8Array) => sent.push(JSON.parse(String(data))) > 0,
    close: () => undefined,
  };
  const nothing = (): never => {
    throw new Error('the test begins no call');
  };
  const conversation = new RealtimeConversation(
    { clock: new ManualClock(), recognize: nothing },
    { callId: 'ocl_1', begin: nothing, abandon: () => undefined },
    socket,
    { principal: {} as never, model: 'gpt-realtime', dialect: 'ga', settings: DEFAULTS },
  );
  const cancel = () =>
    conversation.onMessage(Buffer.from(JSON.stringify({ type: 'response.cancel' })), false);
  /** Counts the frames of sound that reach the client out of one. */
  const sounds = (): number => {
    const before = sent.length;
    conversation.audio(PCM);
    return sent.slice(before).filter(({ type }) => type === 'response.output_audio.delta').length;
  };
  const statuses = () =>
    sent.flatMap(({ type, response }) => (type === 'response.done' ? response!.status : []));
  return { conversation, cancel, sounds, statuses };
}

it('is heard after the caller spoke or cancelled a response, and the response ends with the supervision', () => {
  const { conversation, cancel, sounds, statuses } = opened();
  conversation.bridged(true);
  expect(sounds()).toBe(1);
  conversation.transcript({ role: 'user', turnId: 1, text: 'Are you a person?', final: true });
  expect(sounds()).toBe(1);
  cancel();
  expect(sounds()).toBe(1);
  expect(statuses()).toEqual(['cancelled', 'cancelled']);
  conversation.bridged(false);
  expect(statuses()).toEqual(['cancelled', 'cancelled', 'completed']);
});

it('leaves the agent its response when the supervision begins and ends within its turn', () => {
  const { conversation, cancel, sounds, statuses } = opened();
  conversation.transcript({ role: 'agent', turnId: 1, text: 'We open', final: false });
  conversation.bridged(true);
  expect(sounds()).toBe(1);
  conversation.bridged(false);
  expect(statuses()).toEqual([]);
  cancel();
  expect([sounds(), statuses()]).toEqual([0, ['cancelled']]);
});
