// @requirement Vendors' clients: Deepgram's npm and PyPI clients work unchanged, with files and streams.
import { expect, it } from 'vitest';
import type { Socket, SocketHandler } from '../../../../src/edge/server/surface.ts';
import type { InputEncoding } from '../../../../src/edge/surfaces/compat/deepgram/live-input.ts';
import {
  DeepgramLiveSession,
  type DeepgramLiveSettings,
} from '../../../../src/edge/surfaces/compat/deepgram/live-session.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';

const samplesOf = (data: Uint8Array) => [...new Int16Array(Uint8Array.from(data).buffer)];

const decoder = { decode: () => Promise.reject(new Error('raw sound is not decoded')) };
const inputOf = (encoding: InputEncoding | null, channels: number) => ({
  encoding,
  channels,
  rate: 16_000,
  priority: { tenant: 'org_1', use: 'live', trial: false } as const,
});

function open(settings: Partial<DeepgramLiveSettings> = {}) {
  const clock = new ManualClock();
  const sent: { type: string; [field: string]: unknown }[] = [];
  const received: string[] = [];
  const sounds: number[][] = [];
  const closes: number[] = [];
  let hear: Socket | undefined;
  const outer: Socket = {
    requestId: 'req_1',
    bufferedBytes: 0,
    send: (data) => {
      sent.push(JSON.parse(String(data)));
      return true;
    },
    close: (code) => closes.push(code),
  };
  const accepted = {
    open: (socket: Socket): SocketHandler => {
      hear = socket;
      const onMessage = (data: Uint8Array, isBinary: boolean) =>
        isBinary ? sounds.push(samplesOf(data)) : received.push(Buffer.from(data).toString());
      return { onMessage, onClosed: () => undefined };
    },
  };
  const session = new DeepgramLiveSession({ clock, decoder }, accepted, outer, {
    interim: true,
    vadEvents: true,
    utteranceEndMs: 1000,
    input: inputOf('linear16', 1),
    redact: [],
    ignored: [],
    ...settings,
  });
  const say = (frame: object) => hear?.send(JSON.stringify(frame));
  const notify = (message: object) => session.onMessage(Buffer.from(JSON.stringify(message)), false);
  const sound = (...bytes: number[]) => session.onMessage(Buffer.from(bytes), true);
  return {
    clock,
    sent,
    received,
    sounds,
    closes,
    say,
    notify,
    sound,
    leave: () => hear?.close(1000, 'closed'),
  };
}

const partial = { type: 'partial', utterance_id: 'utt_1', text: 'Hello', start: 0.2, end: 0.6 };
const final = {
  type: 'final',
  utterance_id: 'utt_1',
  text: 'Hello, world.',
  start: 0.2,
  end: 1.1,
  words: [
    { word: 'Hello,', start: 0.2, end: 0.6 },
    { word: 'world.', start: 0.7, end: 1.1 },
  ],
  endpoint_reason: 'silence',
};

it('tells speech that begins, words so far, words for good, and the end of an utterance', async () => {
  const { clock, sent, say } = open();
  say(partial);
  say(final);
  expect(sent.map(({ type }) => type)).toEqual(['SpeechStarted', 'Results', 'Results']);
  expect(sent[1]).toMatchObject({ is_final: false, speech_final: false });
  expect(sent[2]).toMatchObject({
    is_final: true,
    speech_final: true,
    from_finalize: false,
    start: 0.2,
    duration: 0.9,
    channel: {
      alternatives: [
        {
          transcript: 'Hello, world.',
          words: [{ word: 'hello', punctuated_word: 'Hello,' }, { word: 'world' }],
        },
      ],
    },
  });
  clock.advance(1000);
  expect(sent.at(-1)).toEqual({ type: 'UtteranceEnd', channel: [0, 1], last_word_end: 1.1 });
});

it('says no UtteranceEnd where somebody speaks on, and no interim results unasked', () => {
  const { clock, sent, say } = open({ interim: false, vadEvents: false });
  say(final);
  say({ ...partial, utterance_id: 'utt_2' });
  clock.advance(5000);
  expect(sent.map(({ type }) => type)).toEqual(['Results']);
});

it('says neither a beginning nor an end of speech where nobody spoke', () => {
  const { clock, sent, say } = open();
  say({ ...final, text: '', words: [], start: 0, end: 15 });
  clock.advance(5000);
  expect(sent.map(({ type }) => type)).toEqual(['Results']);
  expect(sent[0]).toMatchObject({ is_final: true, channel: { alternatives: [{ transcript: '' }] } });
});

it('hands controls on in Hear’s words, and marks what Finalize brought', () => {
  const { received, notify, say, sent } = open();
  for (const type of ['KeepAlive', 'Finalize', 'CloseStream']) notify({ type });
  expect(received.map((text) => JSON.parse(text).type)).toEqual(['keepalive', 'commit', 'close']);
  say({ ...final, endpoint_reason: 'commit' });
  expect(sent.at(-1)).toMatchObject({ is_final: true, from_finalize: true, speech_final: true });
});

it('tells errors, and its metadata before the end', () => {
  const { sent, say, leave, closes } = open();
  say({ type: 'usage', audio_seconds: 3.5, billed_seconds: 3 });
  say({ type: 'error', error: { message: 'no', type: 'server_error', code: 'capacity', param: null } });
  leave();
  expect(sent.map(({ type }) => type)).toEqual(['Error', 'Metadata']);
  expect(sent[0]).toMatchObject({ err_code: 'capacity', err_msg: 'no', request_id: 'req_1' });
  expect(sent[1]).toMatchObject({ duration: 3.5, channels: 1 });
  expect(closes).toEqual([1000]);
});

it('reads u-law and A-law, and mixes channels', () => {
  const telephone = open({ input: inputOf('mulaw', 1) });
  telephone.sound(0xff, 0x80, 0x00);
  expect(telephone.sounds).toEqual([[0, 32_124, -32_124]]);
  const european = open({ input: inputOf('alaw', 1) });
  european.sound(0xd5, 0x55);
  expect(european.sounds).toEqual([[8, -8]]);
  const stereo = open({ input: inputOf('linear16', 2) });
  stereo.sound(100, 0, 44, 1, 0, 0, 10, 0);
  expect(stereo.sounds).toEqual([[200, 5]]);
});

it('puts a sample together that two messages share', () => {
  const { sound, sounds } = open();
  sound(1, 0, 2);
  sound(0, 3, 0);
  expect(sounds).toEqual([[1], [2, 3]]);
});

it('ends a stream with an empty message, as older clients do', () => {
  const { sound, received } = open();
  sound();
  expect(received.map((text) => JSON.parse(text).type)).toEqual(['close']);
});

it.each([
  ['MP4, whose index comes last', null, [0, 0, 0, 24, ...Buffer.from('ftypM4A ')]],
  ['no Ogg, but is said to be', 'ogg-opus', [1, 2, 3, 4]],
  ['no Opus packet, but is said to be', 'opus', [3, 0]],
] as const)('says so where a stream is %s', (_what, encoding, bytes) => {
  const { sound, sounds, sent, closes } = open({ input: inputOf(encoding, 1) });
  sound(...bytes);
  expect(sounds).toEqual([]);
  expect(sent[0]).toMatchObject({ type: 'Error', err_code: 'invalid_audio' });
  expect(closes).toEqual([1008]);
});

it('tells in its metadata what changed nothing', () => {
  const { sent, leave } = open({ ignored: ['diarize'] });
  leave();
  expect(sent.at(-1)).toMatchObject({ type: 'Metadata', warnings: [{ parameter: 'diarize' }] });
});

it('takes out what is personal of text and words', () => {
  const { sent, say } = open({ redact: ['EMAIL'] });
  const word = 'ann@example.com';
  say({ ...final, text: `Write to ${word} now.`, words: [{ word, start: 0.7, end: 1.1 }] });
  expect(JSON.stringify(sent)).not.toContain(word);
  expect(sent.at(-1)).toMatchObject({
    channel: { alternatives: [{ transcript: 'Write to [REDACTED_EMAIL] now.' }] },
  });
});
