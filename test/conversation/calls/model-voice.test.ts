// @requirement Brains: The own voice of a realtime model is played, and the local voice ends what it leaves.
import { expect, it, vi } from 'vitest';
import { AnswerVoice } from '../../../src/conversation/brains/index.ts';
import { PronouncingLane } from '../../../src/conversation/calls/pronouncing-lane.ts';
import { ProvidedLane } from '../../../src/conversation/calls/provided-lane.ts';
import type { LaneEvent } from '../../../src/conversation/session/index.ts';
import { SpeechProviders } from '../../../src/speech/providers/index.ts';
import type { ProjectPronunciation as Pronunciation } from '../../../src/speech/voices/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { NotedLane, RATE, ScriptedProvider, settled, soundOf } from './scripted-provider.ts';

const FIRST = 'We are open from nine until five on all days of the week.';
const SECOND = 'You may come at any time you like, and you need no card.';
const MS = 3_000;

function open(provider?: ScriptedProvider, pronunciations: readonly Pronunciation[] = []) {
  const clock = new ManualClock();
  const lane = new NotedLane();
  const events: LaneEvent[] = [];
  const registry = new SpeechProviders({ clock, list: provider === undefined ? [] : [{ provider }] });
  const provided = new ProvidedLane({
    lane,
    providers: registry,
    chain: registry.chainOf(null),
    clock,
    owner: 'org_1',
    language: 'en',
    playsModelVoice: true,
    onEvent: (event) => events.push(event),
  });
  const answerOf = () =>
    new AnswerVoice({
      name: 'default',
      host: 'models.example:443',
      rate: RATE,
      firstAudioMs: 1_000,
      betweenAudioMs: 500,
    });
  const spelling = new PronouncingLane(provided, pronunciations, 'en');
  const speak = (speech: number, segment: number, text: string, voice?: AnswerVoice) =>
    spelling.speak(speech, segment, text, {
      held: false,
      yields: false,
      ...(voice === undefined ? {} : { voice }),
    });
  const wants = (speech: number, segment: number) =>
    provided.take({ kind: 'feed', speech, segment, wantedMs: 60_000 });
  const playing = (speech: number, segment: number) =>
    provided.take({ kind: 'playing', speech, segment, atMs: clock.monotonic() });
  const faults = () => events.flatMap((event) => (event.kind === 'voice_fallback' ? [event.fault] : []));
  return { clock, lane, provided, answer: answerOf(), answerOf, speak, wants, playing, faults };
}

async function comes(answer: AnswerVoice, ...parts: (string | Uint8Array)[]): Promise<void> {
  for (const part of parts) answer.add(part);
  await settled();
}

it.each([
  ['ahead of the audio', [`${FIRST} ${SECOND}`, soundOf(MS), soundOf(300, 0), soundOf(MS)]],
  ['with their audio', [FIRST, soundOf(MS), soundOf(300, 0), ` ${SECOND}`, soundOf(MS)]],
])('divides the audio at the pause between two texts, with words %s', async (_when, parts) => {
  const { answer, lane, speak, wants, provided } = open();
  speak(1, 0, FIRST, answer);
  speak(1, 1, SECOND, answer);
  wants(1, 0);
  wants(1, 1);
  await comes(answer, ...parts);
  answer.finish('complete');
  await settled();
  expect(lane.segment(1, 0)).toMatchObject({ rest: '' });
  expect(lane.segment(1, 0).fedMs).toBeCloseTo(MS + 300, -1);
  expect(lane.segment(1, 1)).toMatchObject({ rest: '' });
  expect(lane.segment(1, 1).fedMs).toBeCloseTo(MS, -1);
  expect(provided.providerUse).toMatchObject([
    { kind: 'speech', provider: 'brain:default', host: 'models.example:443', requests: 2, failures: 0 },
  ]);
});

it('plays all audio of a slow speaker, in one text or the next', async () => {
  const { answer, lane, speak, wants } = open();
  speak(1, 0, FIRST, answer);
  speak(1, 1, SECOND, answer);
  wants(1, 0);
  wants(1, 1);
  await comes(answer, `${FIRST} ${SECOND}`, soundOf(2 * MS), soundOf(2 * MS));
  answer.finish('complete');
  await settled();
  expect(lane.segment(1, 0).fedMs + lane.segment(1, 1).fedMs).toBeCloseTo(4 * MS, -1);
  expect([lane.segment(1, 0).rest, lane.segment(1, 1).rest]).toEqual(['', '']);
});

it('gives the last text what is left, and waits for no pause', async () => {
  const { answer, lane, speak, wants } = open();
  speak(1, 0, FIRST, answer);
  wants(1, 0);
  await comes(answer, FIRST, soundOf(MS), soundOf(300, 0), soundOf(2 * MS));
  answer.finish('complete');
  await settled();
  expect(lane.segment(1, 0)).toMatchObject({ rest: '' });
  expect(lane.segment(1, 0).fedMs).toBeCloseTo(3 * MS + 300, -1);
});

it('lets the local voice end a text whose audio stalls, and say the rest of the answer', async () => {
  const { answer, lane, speak, wants, playing, clock, faults } = open();
  speak(1, 0, FIRST, answer);
  wants(1, 0);
  await comes(answer, `${FIRST} ${SECOND}`, soundOf(MS / 2));
  playing(1, 0);
  clock.advance(MS / 2 - 301);
  expect(lane.segment(1, 0).rest, 'there is enough to play').toBeNull();
  clock.advance(101);
  const rest = lane.segment(1, 0).rest!;
  expect(FIRST.endsWith(rest)).toBe(true);
  expect(rest.length).toBeGreaterThan(FIRST.length / 4);
  expect(rest.length).toBeLessThan(FIRST.length);
  expect(faults()).toEqual(['timeout']);
  speak(1, 1, SECOND, answer);
  expect(lane.segment(1, 1).options.fedRate, 'the local voice').toBeUndefined();
});

it('leaves the texts behind a failed one to the local voice, which were asked for already', async () => {
  const { answer, lane, speak, wants, playing, clock, faults, provided } = open();
  const THIRD = 'Just ask.';
  for (const [segment, text] of [FIRST, SECOND, THIRD].entries()) {
    speak(1, segment, text, answer);
    wants(1, segment);
  }
  await comes(answer, `${FIRST} ${SECOND} ${THIRD}`, soundOf(MS / 2));
  playing(1, 0);
  clock.advance(MS / 2 - 300);
  clock.advance(100);
  expect(faults()).toEqual(['timeout']);
  await comes(answer, soundOf(MS / 2), soundOf(300, 0), soundOf(MS));
  answer.finish('complete');
  await settled();
  expect(lane.segment(1, 0).fedMs).toBeCloseTo(MS / 2, -1);
  expect(lane.segment(1, 1), 'the end of the first text is not heard again').toMatchObject({
    fedMs: 0,
    rest: SECOND,
  });
  expect(lane.segment(1, 2)).toMatchObject({ fedMs: 0, rest: THIRD });
  expect(provided.providerUse).toMatchObject([{ requests: 2, failures: 1 }]);
});

it('plays a model that sends its audio no faster than it is played', async () => {
  const { answer, lane, speak, wants, playing, clock, faults } = open();
  for (const [segment, text] of [FIRST, SECOND].entries()) {
    speak(1, segment, text, answer);
    wants(1, segment);
  }
  await comes(answer, `${FIRST} ${SECOND}`, soundOf(200));
  playing(1, 0);
  const rest = [...Array(28).fill(soundOf(100)), soundOf(300, 0), ...Array(30).fill(soundOf(100))];
  for (const sound of rest) {
    clock.advance(sound.length / 48);
    await comes(answer, sound);
    if (lane.segment(1, 1).fedMs > 0) playing(1, 1);
  }
  answer.finish('complete');
  await settled();
  expect(faults()).toEqual([]);
  expect([lane.segment(1, 0).rest, lane.segment(1, 1).rest]).toEqual(['', '']);
  expect(lane.segment(1, 1).fedMs).toBeCloseTo(MS, -1);
});

it('does not repeat a text that was spoken when the answer is cut behind it', async () => {
  const { answer, lane, speak, wants } = open();
  speak(1, 0, FIRST, answer);
  wants(1, 0);
  await comes(answer, FIRST, soundOf(MS), soundOf(200, 0));
  answer.finish('cut');
  await settled();
  expect(lane.segment(1, 0)).toMatchObject({ rest: '' });
});

it.each(['cut', 'complete'] as const)(
  'ends a text by the local voice where the answer is %s within it',
  async (end) => {
    const { answer, lane, speak, wants, playing, faults } = open();
    speak(1, 0, FIRST, answer);
    wants(1, 0);
    await comes(answer, FIRST, soundOf(1_000));
    answer.finish(end);
    await settled();
    playing(1, 0);
    const rest = lane.segment(1, 0).rest!;
    expect(FIRST.endsWith(rest)).toBe(true);
    expect(rest.length).toBeGreaterThan(FIRST.length / 2);
    expect(faults()).toEqual(['incomplete']);
  },
);

it('ends a text by the local voice where an answer whose audio ended is reported as cut', async () => {
  const { answer, lane, speak, wants, playing, faults } = open();
  speak(1, 0, FIRST, answer);
  wants(1, 0);
  await comes(answer, FIRST, soundOf(MS * 0.8));
  answer.pause();
  await settled();
  expect(lane.segment(1, 0).rest).toBeNull();
  answer.finish('cut');
  await settled();
  playing(1, 0);
  expect(FIRST.endsWith(lane.segment(1, 0).rest!)).toBe(true);
  expect(lane.segment(1, 0).rest).not.toBe('');
  expect(faults()).toEqual(['incomplete']);
});

it('does not wait for the end of a response that goes on to call a tool', async () => {
  const { answer, lane, speak, wants, playing, clock, faults } = open();
  speak(1, 0, FIRST, answer);
  wants(1, 0);
  await comes(answer, FIRST, soundOf(MS));
  playing(1, 0);
  answer.pause();
  await settled();
  clock.advance(99);
  await settled();
  expect(lane.segment(1, 0).rest).toBeNull();
  clock.advance(1);
  await settled();
  expect(lane.segment(1, 0).rest).toBe('');
  await comes(answer, ` ${SECOND}`, soundOf(MS));
  speak(1, 1, SECOND, answer);
  wants(1, 1);
  answer.finish('complete');
  await settled();
  expect(lane.segment(1, 1).rest).toBe('');
  expect(faults()).toEqual([]);
});

const LONG_WINDED = [
  { word: 'the week', say: 'all of the seven days that a week has, from Monday on to Sunday' },
  { word: 'open', say: 'öppen' },
];

it('plays the end of an answer whose words the project spells at greater length', async () => {
  const { answer, lane, speak, wants, faults } = open(undefined, LONG_WINDED);
  speak(1, 0, FIRST, answer);
  speak(1, 1, SECOND, answer);
  wants(1, 0);
  wants(1, 1);
  await comes(answer, `${FIRST} ${SECOND}`, soundOf(MS), soundOf(300, 0), soundOf(MS));
  answer.finish('complete');
  await settled();
  expect(lane.segment(1, 0).fedMs).toBeCloseTo(MS + 300, -1);
  expect(lane.segment(1, 1).fedMs).toBeCloseTo(MS, -1);
  expect([lane.segment(1, 0).rest, lane.segment(1, 1).rest, faults()]).toEqual(['', '', []]);
});

it.each([
  [0, 0, 'We are öppen from nine'],
  [500, 0, 'öppen from nine until'],
  [MS, 0, 'all of the seven days'],
  [0, 1, 'You may come'],
])('spells what the lane’s own voice speaks after %d ms', async (ms, segment, begins) => {
  const { answer, lane, speak, wants, clock } = open(undefined, LONG_WINDED);
  for (const [at, text] of [FIRST, SECOND].entries()) speak(1, at, text, answer);
  wants(1, 0);
  wants(1, 1);
  await comes(answer, `${FIRST} ${SECOND}`, ...(ms > 0 ? [soundOf(ms)] : []));
  answer.finish('cut');
  await settled();
  clock.advance(60_000);
  expect(lane.segment(1, segment).rest!.slice(0, begins.length)).toBe(begins);
});

it('says the whole text where no audio comes, and does not wait for the model in the next answer', async () => {
  const { answer, answerOf, lane, speak, wants, clock } = open();
  speak(1, 0, FIRST, answer);
  wants(1, 0);
  clock.advance(1_000);
  expect(lane.segment(1, 0)).toMatchObject({ rest: FIRST, fedMs: 0 });
  const next = answerOf();
  speak(2, 0, FIRST, next);
  expect(lane.segment(2, 0).options.fedRate, 'the circuit breaker is open').toBeUndefined();
  clock.advance(10_000);
  speak(3, 0, FIRST, answerOf());
  expect(lane.segment(3, 0).options.fedRate).toBe(RATE);
});

it('refuses a container and audio without an end', async () => {
  const { answer, answerOf, lane, speak, wants, clock } = open();
  speak(1, 0, FIRST, answer);
  wants(1, 0);
  await comes(answer, FIRST, Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(20_000, 0x55)]));
  expect(lane.segment(1, 0)).toMatchObject({ rest: FIRST, fedMs: 0 });
  clock.advance(60_000);
  const endless = answerOf();
  speak(2, 0, FIRST, endless);
  wants(2, 0);
  for (let at = 0; at < 30 && lane.segment(2, 0).rest === null; at++) await comes(endless, soundOf(MS));
  expect(lane.segment(2, 0).rest).not.toBeNull();
});

it('leaves fixed lines to the provider, beside the model’s own voice', async () => {
  const provider = new ScriptedProvider();
  const { answer, lane, speak, wants } = open(provider);
  speak(1, 0, 'One moment.');
  speak(1, 1, FIRST, answer);
  wants(1, 0);
  wants(1, 1);
  expect(provider.requests.map(({ text }) => text)).toEqual(['One moment.']);
  await provider.requests[0]!.sound(soundOf(900));
  await provider.requests[0]!.end();
  await comes(answer, FIRST, soundOf(MS));
  answer.finish('complete');
  await settled();
  expect([lane.segment(1, 0).rest, lane.segment(1, 1).rest]).toEqual(['', '']);
  expect(lane.segment(1, 1).fedMs).toBeCloseTo(MS, -1);
});

it('reads the words of an answer once, however much audio follows them', async () => {
  const { answer, lane, speak, wants } = open();
  const text = `${FIRST} ${'We are open on all of these days too, '.repeat(10)}`;
  speak(1, 0, text, answer);
  wants(1, 0);
  const matching = vi.spyOn(String.prototype, 'match');
  await comes(answer, text, ` ${SECOND}`.repeat(60), ...Array(30).fill(soundOf(1_000)));
  const read = matching.mock.contexts.reduce((sum: number, one) => sum + String(one).length, 0);
  matching.mockRestore();
  expect(lane.segment(1, 0).fedMs).toBeGreaterThan(15_000);
  expect(read).toBeLessThan(100 * answer.words.length);
});
