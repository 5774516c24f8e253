import { expect, it } from 'vitest';
import { ProvidedRecognition } from '../../../src/conversation/calls/provided-recognition.ts';
import type { CallerUtterance, LaneEvent } from '../../../src/conversation/session/index.ts';
import {
  ProviderError,
  type RecognitionProvider,
  RecognitionProviders,
  type RecognitionRequest,
  type RecognitionStream,
} from '../../../src/speech/providers/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const RATE = 8_000;
const FRAME = new Uint8Array(320).fill(1);
const LOCAL = 'nine ate two ate';

class Stream implements RecognitionStream {
  readonly request: RecognitionRequest;
  bytes = 0;
  isClosed = false;
  asked = 0;
  #answers: { resolve(text: string): void; reject(error: Error): void }[] = [];

  constructor(request: RecognitionRequest) {
    this.request = request;
  }

  push(pcm: Uint8Array): void {
    this.bytes += pcm.length;
  }

  text(): Promise<string> {
    this.asked += 1;
    return new Promise((resolve, reject) => this.#answers.push({ resolve, reject }));
  }

  close(): void {
    this.isClosed = true;
  }

  async answer(text: string | Error): Promise<void> {
    const asked = this.#answers.shift()!;
    if (typeof text === 'string') asked.resolve(text);
    else asked.reject(text);
    await settled();
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const utterance = (text = LOCAL): CallerUtterance => ({
  utterance: 1,
  text,
  startMs: 100,
  endMs: 900,
  atMs: 1_400,
  asrMs: 10,
});

function open(codec?: 'ulaw') {
  const clock = new ManualClock();
  const streams: Stream[] = [];
  const provider: RecognitionProvider = {
    name: 'default',
    host: 'hear.example:443',
    region: 'eu',
    finalMs: 400,
    microsPerHour: 360_000,
    serves: (language) => language !== 'hi',
    listen(request) {
      const stream = new Stream(request);
      streams.push(stream);
      return stream;
    },
  };
  const failures: string[] = [];
  const providers = new RecognitionProviders({
    clock,
    list: [{ provider }],
    onFailure: (_, { fault }) => failures.push(fault),
  });
  const events: LaneEvent[] = [];
  const call = (owner: string) =>
    new ProvidedRecognition({
      providers,
      chain: providers.chainOf(null),
      clock,
      owner,
      rate: RATE,
      codec,
      language: 'en',
      vocabulary: ['Maya'],
      onEvent: (event) => {
        if (event.kind !== 'feed') events.push(event);
      },
    });
  const recognition = call('org_1');
  const begin = () => recognition.take({ kind: 'speech_start', atMs: 100 });
  const final = (text?: string) => recognition.take({ kind: 'final', ...utterance(text) });
  const finals = () => events.flatMap((event) => (event.kind === 'final' ? [event] : []));
  const use = () => recognition.providerUse[0];
  return { clock, streams, failures, events, call, recognition, begin, final, finals, use };
}

it('sends the beginning of the speech too, and takes the provider’s text', async () => {
  const { streams, recognition, begin, final, finals, use, failures } = open();
  for (let at = 0; at < 100; at += 1) recognition.push(FRAME);
  begin();
  const [stream] = streams as [Stream];
  expect(stream.request).toEqual({ rate: RATE, language: 'en', vocabulary: ['Maya'] });
  expect(stream.bytes).toBe(800 * 16);
  recognition.push(FRAME);
  final();
  expect(finals()).toEqual([]);
  await stream.answer('98 28.');
  expect(finals()).toMatchObject([{ text: '98 28.', startMs: 100 }]);
  expect(stream.isClosed).toBe(true);
  expect(failures).toEqual([]);
  expect(use()).toEqual({
    kind: 'recognition',
    provider: 'default',
    credential: 'operator',
    region: 'eu',
    host: 'hear.example:443',
    requests: 1,
    characters: 6,
    soundMs: 820,
    failures: 0,
    costMicros: 82,
  });
});

it('has the text of the lane after 400 ms, and leaves the provider alone for a while', async () => {
  const { clock, streams, begin, final, finals, use, failures } = open();
  begin();
  final();
  clock.advance(399);
  await settled();
  expect(finals()).toEqual([]);
  clock.advance(1);
  await settled();
  expect(finals()).toMatchObject([{ text: LOCAL, asrMs: 410 }]);
  expect(failures).toEqual(['timeout']);
  expect(use()).toMatchObject({ failures: 1 });
  begin();
  final('Hello.');
  expect(finals()[1]).toMatchObject({ text: 'Hello.' });
  expect(streams.length).toBe(1);
  clock.advance(6_000);
  begin();
  expect(streams.length).toBe(2);
});

it.each([
  [new ProviderError('overloaded', 'busy'), 'overloaded'],
  [new ProviderError('garbage', 'html'), 'garbage'],
  ['', 'incomplete'],
] as const)('has the text of the lane where the provider gives %s', async (answer, fault) => {
  const { streams, begin, final, finals, failures } = open();
  begin();
  final();
  await streams[0]!.answer(answer);
  expect(finals()).toMatchObject([{ text: LOCAL }]);
  expect(failures).toEqual([fault]);
});

it('asks while the end is only likely, and again where the caller goes on', async () => {
  const { streams, recognition, begin, final, finals, events } = open();
  begin();
  recognition.take({ kind: 'eager_end', ...utterance('nine ate') });
  expect(events.at(-1)).toMatchObject({ kind: 'eager_end', text: 'nine ate' });
  const [stream] = streams as [Stream];
  expect(stream.asked).toBe(1);
  recognition.take({ kind: 'continued', utterance: 1 });
  await stream.answer('98');
  recognition.push(FRAME);
  recognition.take({ kind: 'eager_end', ...utterance() });
  await stream.answer('98 28');
  final();
  await settled();
  expect(stream.asked).toBe(2);
  expect(finals()).toMatchObject([{ text: '98 28', asrMs: 10 }]);
});

it('keeps the caller’s events in order behind a final, and no others', async () => {
  const { streams, recognition, begin, final, events } = open();
  begin();
  final();
  recognition.take({ kind: 'playing', speech: 1, segment: 0, atMs: 5 });
  recognition.take({ kind: 'speech_start', atMs: 2_000 });
  recognition.take({ kind: 'backchannel', ...utterance('mhm') });
  expect(events.map(({ kind }) => kind)).toEqual(['speech_start', 'playing']);
  await streams[0]!.answer('98 28');
  expect(events.map(({ kind }) => kind)).toEqual([
    'speech_start',
    'playing',
    'final',
    'speech_start',
    'backchannel',
  ]);
  expect(streams[1]!.isClosed).toBe(true);
});

it('hears a language here that the provider does not serve', () => {
  const { streams, recognition, begin, final, finals } = open();
  recognition.setLanguage('hi');
  begin();
  final();
  expect(streams).toEqual([]);
  expect(finals()).toMatchObject([{ text: LOCAL }]);
});

it('sends the sound of telephones as PCM, and nothing once the call has ended', async () => {
  const { streams, recognition, begin, final, finals } = open('ulaw');
  begin();
  recognition.push(new Uint8Array(160).fill(0xff));
  expect(streams[0]!.bytes).toBe(320);
  final();
  recognition.close();
  await streams[0]!.answer('98');
  expect(finals()).toEqual([]);
});

it('asks for other organizations where the provider recognizes nothing in the calls of one', async () => {
  const { streams, call, clock } = open();
  const speaks = async (owner: string, text: string): Promise<boolean> => {
    const before = streams.length;
    const recognition = call(owner);
    recognition.take({ kind: 'speech_start', atMs: 100 });
    recognition.take({ kind: 'final', ...utterance() });
    if (streams.length === before) return false;
    await streams.at(-1)!.answer(text);
    return true;
  };
  for (const openMs of [5_000, 10_000, 20_000]) {
    expect(await speaks('org_1', '')).toBe(true);
    expect(await speaks('org_1', 'nine eight two')).toBe(false);
    expect(await speaks('org_2', 'nine eight two')).toBe(true);
    clock.advance(openMs);
  }
});

it('takes its own text where the provider sends more than anybody says', async () => {
  const { streams, begin, final, finals, failures } = open();
  begin();
  final();
  await streams[0]!.answer('4 '.repeat(1_000_000));
  expect(finals()).toMatchObject([{ text: LOCAL }]);
  expect(failures).toEqual(['garbage']);
});

it('opens no stream for what the lane still hears after the end of the call', () => {
  const { streams, recognition, begin, final, events } = open();
  begin();
  recognition.close();
  expect(streams[0]!.isClosed).toBe(true);
  begin();
  final();
  expect(streams).toHaveLength(1);
  expect(events.map(({ kind }) => kind)).toEqual(['speech_start', 'speech_start', 'final']);
});
