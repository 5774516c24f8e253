import { describe, expect, it } from 'vitest';
import type { CallConfiguration, CallTransport } from '../../../../src/conversation/calls/index.ts';
import type { Socket } from '../../../../src/edge/server/surface.ts';
import { LiveSound } from '../../../../src/edge/surfaces/compat/deepgram/live-sound.ts';
import { ElevenLabsConversation } from '../../../../src/edge/surfaces/compat/elevenlabs/conversation-session.ts';
import {
  type ElevenLabsLiveSettings,
  ElevenLabsTranscriptionSession,
} from '../../../../src/edge/surfaces/compat/elevenlabs/live-session.ts';
import type { omni } from '../../../../src/media/wire/index.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';

// biome-ignore lint/suspicious/noExplicitAny: messages of every kind.
type Message = any;

function socketOf() {
  const sent: Message[] = [];
  const closed: [number, string][] = [];
  const socket: Socket = {
    requestId: 'req_1',
    bufferedBytes: 0,
    send: (data) => {
      sent.push(JSON.parse(String(data)));
      return true;
    },
    close: (code, reason) => void closed.push([code, reason]),
  };
  return { socket, sent, closed };
}

const bytesOf = (message: object): Uint8Array => Buffer.from(JSON.stringify(message));

describe('live transcription', () => {
  function opened(settings: Partial<ElevenLabsLiveSettings> = {}) {
    const { socket, sent, closed } = socketOf();
    const given: unknown[] = [];
    let inner: Socket | null = null;
    const accepted = {
      open: (made: Socket) => {
        inner = made;
        return {
          onMessage: (data: Uint8Array, isBinary: boolean) =>
            void given.push(isBinary ? Buffer.from(data) : JSON.parse(Buffer.from(data).toString())),
          onClosed: () => undefined,
        };
      },
    };
    const session = new ElevenLabsTranscriptionSession(accepted, socket, {
      sound: new LiveSound('linear16', 1),
      isManual: true,
      hasSecondCopy: false,
      config: { sample_rate: 16_000 },
      ...settings,
    });
    const chunk = (audio: Uint8Array, commit: boolean) =>
      session.onMessage(
        bytesOf({
          message_type: 'input_audio_chunk',
          audio_base_64: Buffer.from(audio).toString('base64'),
          commit,
          sample_rate: 16_000,
        }),
        false,
      );
    const hear = (frame: object) => void (inner as unknown as Socket).send(JSON.stringify(frame));
    const final = (text: string, endpoint_reason: string, start = 0) =>
      hear({
        type: 'final',
        utterance_id: 'utt_1',
        text,
        start,
        end: start + 1,
        words:
          text === ''
            ? []
            : text.split(' ').map((word, at) => ({ word, start: start + at / 4, end: start + at / 4 + 0.2 })),
        endpoint_reason,
      });
    return {
      session,
      sent,
      closed,
      given,
      chunk,
      hear,
      final,
      end: () => (inner as unknown as Socket).close(1000, 'done'),
    };
  }

  it('begins with its settings, and hands on sound, commits and signs of life', () => {
    const { sent, given, chunk } = opened();
    expect(sent).toEqual([
      { message_type: 'session_started', session_id: 'req_1', config: { sample_rate: 16_000 } },
    ]);
    chunk(Buffer.from([1, 2, 3, 4]), false);
    chunk(Buffer.alloc(0), true);
    chunk(Buffer.alloc(0), false);
    expect(given).toEqual([Buffer.from([1, 2, 3, 4]), { type: 'commit' }, { type: 'keepalive' }]);
  });

  it('joins what silence has cut until the client commits', () => {
    const { sent, hear, final } = opened();
    final('One two', 'silence');
    hear({ type: 'partial', utterance_id: 'utt_2', text: 'three', start: 2, end: 3 });
    final('three four', 'commit', 2);
    final('', 'commit');
    expect(sent.slice(1)).toEqual([
      { message_type: 'partial_transcript', text: 'One two three' },
      { message_type: 'committed_transcript', text: 'One two three four' },
      { message_type: 'committed_transcript', text: '' },
    ]);
  });

  it('commits at silence where that is asked for, with words', () => {
    const { sent, final } = opened({ isManual: false, hasSecondCopy: true });
    final('', 'silence');
    final('One two', 'silence', 1);
    expect(sent.slice(1)).toEqual([
      { message_type: 'committed_transcript', text: 'One two' },
      {
        message_type: 'committed_transcript_with_timestamps',
        text: 'One two',
        words: [
          { text: 'One', type: 'word', start: 1, end: 1.2, logprob: 0 },
          { text: ' ', type: 'spacing', start: 1.2, end: 1.25, logprob: 0 },
          { text: 'two', type: 'word', start: 1.25, end: 1.45, logprob: 0 },
        ],
      },
    ]);
  });

  it('hands out what was not committed before the end', () => {
    const { sent, closed, final, end } = opened();
    final('One two', 'close');
    end();
    expect(sent.at(-1)).toEqual({ message_type: 'committed_transcript', text: 'One two' });
    expect(closed).toEqual([[1000, 'done']]);
  });

  it('names the kind of an error, and what a message must be', () => {
    const { session, sent, given, hear } = opened();
    hear({ type: 'error', error: { code: 'capacity', message: 'All lanes are taken.' } });
    session.onMessage(bytesOf({ message_type: 'hello' }), false);
    session.onMessage(bytesOf({ message_type: 'input_audio_chunk', audio_base_64: '…' }), false);
    session.onMessage(Buffer.from([1, 2]), true);
    expect(sent.slice(1).map(({ message_type }) => message_type)).toEqual([
      'resource_exhausted',
      'input_error',
      'input_error',
      'input_error',
    ]);
    expect(given).toEqual([]);
  });
});

describe('a conversation', () => {
  function opened() {
    const { socket, sent, closed } = socketOf();
    const clock = new ManualClock();
    const did: unknown[] = [];
    let line: CallTransport | null = null;
    const controls = {
      typedTurn: (text: string) => void did.push(['typed', text]),
      injectContext: (text: string) => void did.push(['context', text]),
      settleToolCall: (id: string, answer: object) => {
        did.push(['settled', id, answer]);
        return id === 'tool_1';
      },
    };
    const admitted = {
      callId: 'ocl_1',
      abandon: () => void did.push('abandoned'),
      begin: (how: object, made: CallTransport) => {
        line = made;
        did.push(['begun', how]);
        return {
          controls,
          configure: (message: omni.Configuration) => void did.push(['configured', message]),
          heard: (pcm: Uint8Array) => {
            did.push(['heard', pcm.length]);
            return true;
          },
          end: () => undefined,
          closing: () => undefined,
          closed: () => void did.push('closed'),
        };
      },
    };
    const own = { persona: 'You help {{name}}.', greeting: 'Hello {{name}}.' };
    const session = new ElevenLabsConversation(clock, admitted as never, socket, own);
    const notify = (message: object) => session.onMessage(bytesOf(message), false);
    const live = () =>
      (line as unknown as CallTransport).acknowledge({ warnings: [] } as unknown as CallConfiguration);
    return { session, clock, sent, closed, did, notify, live, line: () => line as unknown as CallTransport };
  }

  it('is configured by overrides and dynamic variables', () => {
    const { sent, did, notify, live } = opened();
    notify({
      type: 'conversation_initiation_client_data',
      conversation_config_override: {
        agent: { first_message: 'Good evening {{name}}.', language: 'fr' },
        tts: { voice_id: 'vc_1' },
      },
      dynamic_variables: { name: 'Ada', age: 7 },
      user_id: 'u1',
    });
    live();
    expect(did).toEqual([
      ['begun', { rate: 16_000 }],
      [
        'configured',
        {
          type: 'configure',
          persona: 'You help Ada.',
          greeting: 'Good evening Ada.',
          voice_id: 'vc_1',
          language: 'fr',
          meta: { name: 'Ada', age: '7', external_id: 'u1' },
        },
      ],
    ]);
    expect(sent).toEqual([
      {
        type: 'conversation_initiation_metadata',
        conversation_initiation_metadata_event: {
          conversation_id: 'ocl_1',
          agent_output_audio_format: 'pcm_16000',
          user_input_audio_format: 'pcm_16000',
        },
      },
    ]);
  });

  it('fills a prompt that repeats a long variable up to its limit, in little memory', () => {
    const { did, notify } = opened();
    const before = process.memoryUsage().heapUsed;
    notify({
      type: 'conversation_initiation_client_data',
      conversation_config_override: {
        agent: { prompt: { prompt: '{{a}}'.repeat(1_900) }, first_message: 'So {{a}}{{a}}' },
      },
      dynamic_variables: { a: 'v'.repeat(280_000), odd: { toString: 1 }, ['n'.repeat(65)]: 'long name' },
    });
    const grew = process.memoryUsage().heapUsed - before;
    const [, [, configured]] = did as [unknown, [string, omni.Configuration]];
    expect(configured).toEqual({
      type: 'configure',
      persona: 'v'.repeat(16_000),
      greeting: `So ${'v'.repeat(997)}`,
      meta: { a: 'v'.repeat(4_000) },
    });
    expect(grew).toBeLessThan(100_000_000);
  });

  it('refuses texts above the bounds of Omni’s own messages, and goes on', () => {
    const { sent, did, notify, live } = opened();
    notify({ type: 'conversation_initiation_client_data' });
    live();
    const before = did.length;
    notify({ type: 'user_message', text: 'x'.repeat(4001) });
    notify({ type: 'contextual_update', text: 'x'.repeat(8001) });
    notify({ type: 'user_message', text: 7 });
    expect(did.length).toBe(before);
    expect(sent.slice(1).map(({ error_event }) => error_event.message)).toEqual([
      'The text of user_message must be a string of at most 4000 characters.',
      'The text of contextual_update must be a string of at most 8000 characters.',
      'The text of user_message must be a string of at most 4000 characters.',
    ]);
    notify({ type: 'user_message', text: 'x'.repeat(4000) });
    notify({ type: 'contextual_update', text: 'x'.repeat(8000) });
    expect(did.slice(before)).toEqual([
      ['typed', 'x'.repeat(4000)],
      ['context', 'x'.repeat(8000)],
    ]);
  });

  it('begins by itself where the client says nothing', () => {
    const { clock, did } = opened();
    clock.advance(10_000);
    expect(did[0]).toEqual(['begun', { rate: 16_000 }]);
  });

  it('tells an agent’s turn in parts, and whole when it is over; what was typed is not told back', () => {
    const { sent, did, notify, live, line } = opened();
    notify({ type: 'conversation_initiation_client_data' });
    live();
    notify({ type: 'user_message', text: 'Hi' });
    line().transcript({ role: 'user', turnId: 1, text: 'Hi', final: true });
    line().transcript({ role: 'agent', turnId: 2, text: 'One.', final: false });
    line().audio(new Uint8Array([1, 2]));
    line().transcript({ role: 'agent', turnId: 2, text: 'One. Two.', final: false });
    line().bargeIn(2, 400);
    line().transcript({ role: 'agent', turnId: 2, text: 'One.', final: true });
    line().transcript({ role: 'user', turnId: 3, text: 'Stop.', final: true });
    expect(did).toContainEqual(['typed', 'Hi']);
    const received = sent.slice(1);
    expect(received.map(({ type }) => type)).toEqual([
      'agent_chat_response_part',
      'agent_chat_response_part',
      'audio',
      'agent_chat_response_part',
      'interruption',
      'agent_chat_response_part',
      'agent_response',
      'user_transcript',
    ]);
    expect(received[6].agent_response_event.agent_response).toBe('One.');
    expect(received[2].audio_event.event_id).toBe(received[4].interruption_event.event_id);
    line().transcript({ role: 'agent', turnId: 4, text: 'Yes.', final: false });
    line().audio(new Uint8Array([1, 2]));
    expect(sent.at(-1).audio_event.event_id).toBeGreaterThan(received[4].interruption_event.event_id);
  });

  it('calls client tools, and refuses the result of a call that nobody made', () => {
    const { sent, did, notify, live, line } = opened();
    notify({ type: 'conversation_initiation_client_data' });
    live();
    line().toolCall({ callId: 'tool_1', name: 'look_up', arguments: { order: '4711' } } as never);
    expect(sent.at(-1)).toMatchObject({
      type: 'client_tool_call',
      client_tool_call: { tool_name: 'look_up', tool_call_id: 'tool_1', parameters: { order: '4711' } },
    });
    notify({
      type: 'client_tool_result',
      tool_call_id: 'tool_1',
      result: '{"ships":"Friday"}',
      is_error: false,
    });
    notify({ type: 'client_tool_result', tool_call_id: 'tool_2', result: 'no', is_error: true });
    expect(did).toContainEqual(['settled', 'tool_1', { result: { ships: 'Friday' } }]);
    expect(did).toContainEqual(['settled', 'tool_2', { error: 'no' }]);
    expect(sent.at(-1)).toMatchObject({ type: 'error', error_event: { error_type: 'invalid_request' } });
  });

  it('hears sound, and says what it cannot take', () => {
    const { sent, did, notify, live } = opened();
    notify({ type: 'conversation_initiation_client_data' });
    live();
    notify({ user_audio_chunk: Buffer.alloc(641).toString('base64') });
    notify({ user_audio_chunk: 5 });
    notify({ type: 'surprise' });
    notify({ type: 'pong', event_id: 1 });
    expect(did.at(-1)).toEqual(['heard', 640]);
    expect(sent.filter(({ type }) => type === 'error').map(({ error_event }) => error_event.details)).toEqual(
      [{ param: 'user_audio_chunk' }, { param: 'type' }],
    );
  });

  it('gives the call up that never began', () => {
    const { session, did } = opened();
    session.onClosed();
    expect(did).toEqual(['abandoned']);
  });
});
