import { expect, it } from 'vitest';
import { ProvidedLane } from '../../../src/conversation/calls/provided-lane.ts';
import type { LaneEvent } from '../../../src/conversation/session/index.ts';
import { ProviderError, SpeechProviders } from '../../../src/speech/providers/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { NotedLane, ScriptedProvider, settled, soundOf } from './scripted-provider.ts';

const TEXT = 'We are open from nine until five, and you may come at any time you like.';
const PLAYED_AT_ONCE = { held: false, yields: false };

function open(...providers: ScriptedProvider[]) {
  const [provider = new ScriptedProvider(), fallback] = providers;
  const clock = new ManualClock();
  const lane = new NotedLane();
  const events: LaneEvent[] = [];
  const list = [
    { provider, ...(fallback === undefined ? {} : { fallback: fallback.name }) },
    ...(fallback === undefined ? [] : [{ provider: fallback }]),
  ];
  const registry = new SpeechProviders({ clock, list });
  const call = (owner = 'org_1') =>
    new ProvidedLane({
      lane,
      providers: registry,
      chain: registry.chainOf(null),
      clock,
      owner,
      language: 'en',
      onEvent: (event) => events.push(event),
    });
  const provided = call();
  const speak = (speech: number, segment = 0, text = TEXT) =>
    provided.speak(speech, segment, text, PLAYED_AT_ONCE);
  const wants = (speech: number, segment: number, wantedMs: number) =>
    provided.take({ kind: 'feed', speech, segment, wantedMs });
  const playing = (speech: number, segment = 0) =>
    provided.take({ kind: 'playing', speech, segment, atMs: clock.monotonic() });
  const faults = () => events.flatMap((event) => (event.kind === 'voice_fallback' ? [event.fault] : []));
  return { provider, clock, lane, provided, call, speak, wants, playing, faults, events };
}

const isSuffixAtAWord = (rest: string, text = TEXT): boolean =>
  text.endsWith(rest) && (rest.length === text.length || text.at(-rest.length - 1) === ' ');

it('feeds what comes, as much as the lane wants, and ends with the text', async () => {
  const { provider, lane, speak, wants, provided } = open();
  speak(1);
  expect(lane.segment(1, 0).options.fedRate).toBe(24_000);
  const request = provider.requests[0]!;
  expect(request.text).toBe(TEXT);
  for (let ms = 0; ms < 4_500; ms += 500) await request.sound(soundOf(500));
  expect(lane.segment(1, 0).fedMs, 'nothing before its turn').toBe(0);
  wants(1, 0, 4_000);
  expect(lane.segment(1, 0).fedMs).toBeCloseTo(4_000, 0);
  await request.end();
  expect(lane.segment(1, 0).rest, 'the rest waits for the lane').toBeNull();
  wants(1, 0, 6_000);
  expect(lane.segment(1, 0).fedMs).toBeCloseTo(4_500, 0);
  expect(lane.segment(1, 0).rest).toBe('');
  expect(provided.providerUse).toEqual([
    {
      kind: 'speech',
      provider: 'default',
      credential: 'operator',
      region: 'eu',
      host: 'voices.example:443',
      requests: 1,
      characters: TEXT.length,
      soundMs: 4_500,
      failures: 0,
      costMicros: Math.round(TEXT.length * 15),
    },
  ]);
});

it('tries again what the lane has no room for', async () => {
  const { provider, lane, speak, wants, clock } = open();
  speak(1);
  wants(1, 0, 4_000);
  lane.isFull = true;
  await provider.requests[0]!.sound(soundOf(3_000));
  expect(lane.segment(1, 0).fedMs).toBe(0);
  lane.isFull = false;
  clock.advance(20);
  expect(lane.segment(1, 0).fedMs).toBeCloseTo(3_000, 0);
  lane.isFull = true;
  await provider.requests[0]!.end();
  lane.isFull = false;
  clock.advance(20);
  expect(lane.segment(1, 0).rest).toBe('');
});

it('gives the whole text to the local voice where no sound comes in time', async () => {
  const { lane, speak, wants, playing, clock, faults, provider } = open();
  speak(1);
  wants(1, 0, 4_000);
  clock.advance(799);
  expect(lane.segment(1, 0).rest).toBeNull();
  clock.advance(1);
  expect(lane.segment(1, 0).rest).toBe(TEXT);
  expect(provider.requests[0]!.signal.aborted).toBe(true);
  expect(faults(), 'nobody has heard of it').toEqual([]);
  playing(1);
  expect(faults()).toEqual(['timeout']);
});

it('counts silence as no sound', async () => {
  const { lane, speak, wants, clock, provider } = open();
  speak(1);
  wants(1, 0, 4_000);
  for (let ms = 0; ms < 800; ms += 100) {
    await provider.requests[0]!.sound(soundOf(100, 0));
    clock.advance(100);
  }
  expect(lane.segment(1, 0)).toMatchObject({ rest: TEXT, fedMs: 0 });
});

it('refuses more silence than the text takes, while an earlier text plays', async () => {
  const { lane, speak, wants, playing, provider } = open();
  speak(1);
  wants(1, 0, 4_000);
  await provider.requests[0]!.sound(soundOf(4_500));
  playing(1);
  speak(1, 1);
  const request = provider.requests[1]!;
  let ms = 0;
  for (; !request.signal.aborted && ms < 60_000; ms += 1_000) await request.sound(soundOf(1_000, 0));
  expect(ms).toBeGreaterThan(5_000);
  expect(ms).toBeLessThan(20_000);
  wants(1, 1, 4_000);
  expect(lane.segment(1, 1)).toMatchObject({ rest: TEXT, fedMs: 0 });
});

it('leaves out the silence before the first sound', async () => {
  const { lane, speak, wants, provider } = open();
  speak(1);
  wants(1, 0, 4_000);
  await provider.requests[0]!.sound(Buffer.concat([soundOf(400, 0), soundOf(600)]));
  expect(lane.segment(1, 0).fedMs).toBeCloseTo(640, 0);
});

it('takes over before the sound that came has been played, and no earlier', async () => {
  const { lane, speak, wants, playing, clock, provider } = open();
  speak(1);
  wants(1, 0, 4_000);
  await provider.requests[0]!.sound(soundOf(2_000));
  playing(1);
  clock.advance(1_650);
  expect(lane.segment(1, 0).rest, 'there is still enough to play').toBeNull();
  clock.advance(100);
  expect(lane.segment(1, 0).rest).not.toBeNull();
  expect(isSuffixAtAWord(lane.segment(1, 0).rest!)).toBe(true);
});

it('finishes the sentence from the last word that was played, wherever it is cut', async () => {
  let before = TEXT.length;
  for (let frames = 0; frames <= 200; frames += 5) {
    const { lane, speak, wants, provider } = open();
    speak(1);
    wants(1, 0, 4_000);
    for (let sent = 0; sent < frames; sent += 5) await provider.requests[0]!.sound(soundOf(100));
    await provider.requests[0]!.end(new ProviderError('unreachable', 'cut'));
    const { rest, fedMs } = lane.segment(1, 0);
    expect(fedMs).toBeCloseTo(Math.min(frames * 20, 4_000), 0);
    if (fedMs >= 4_000) continue;
    expect(rest, `cut after ${frames} frames`).not.toBe('');
    expect(isSuffixAtAWord(rest!), rest!).toBe(true);
    expect(rest!.length, 'later, the later it was cut').toBeLessThanOrEqual(before);
    before = rest!.length;
  }
});

it('goes by the characters that the provider tells', async () => {
  const { lane, speak, wants, provider } = open();
  speak(1);
  wants(1, 0, 4_000);
  await provider.requests[0]!.sound(soundOf(300), TEXT.indexOf('until') + 2);
  await provider.requests[0]!.end(new ProviderError('unreachable', 'cut'));
  expect(lane.segment(1, 0).rest).toBe(TEXT.slice(TEXT.indexOf('until')));
});

it('learns how fast a provider speaks', async () => {
  const { lane, speak, wants, provider } = open();
  speak(1);
  wants(1, 0, 20_000);
  for (let ms = 0; ms < 8_000; ms += 500) await provider.requests[0]!.sound(soundOf(500));
  await provider.requests[0]!.end();
  speak(2);
  wants(2, 0, 20_000);
  await provider.requests[1]!.sound(soundOf(4_000));
  await provider.requests[1]!.end(new ProviderError('unreachable', 'cut'));
  const said = TEXT.length - lane.segment(2, 0).rest!.length;
  expect(said / TEXT.length).toBeGreaterThan(0.4);
  expect(said / TEXT.length).toBeLessThan(0.55);
});

it.each([
  ['ends too early', [soundOf(500)], 'incomplete'],
  ['says nothing', [], 'incomplete'],
  ['falls silent in the middle', [soundOf(500), soundOf(1_600, 0)], 'garbage'],
  ['does not end', Array.from({ length: 30 }, () => soundOf(1_000)), 'garbage'],
])('finishes for a provider that %s', async (_name, sounds, fault) => {
  const { lane, speak, wants, playing, faults, provider } = open();
  speak(1);
  wants(1, 0, 60_000);
  for (const sound of sounds) await provider.requests[0]!.sound(sound);
  await provider.requests[0]!.end();
  playing(1);
  expect(faults()).toEqual([fault]);
  expect(isSuffixAtAWord(lane.segment(1, 0).rest!)).toBe(true);
});

it('speaks the rest of a turn in the voice that took over', async () => {
  const { lane, speak, wants, provider } = open();
  speak(1, 0);
  speak(1, 1, 'Anything else?');
  speak(1, 2, 'Just ask.');
  expect(provider.requests.length, 'two at a time').toBe(2);
  wants(1, 0, 4_000);
  await provider.requests[0]!.end(new ProviderError('overloaded', 'busy'));
  wants(1, 2, 4_000);
  expect(lane.segment(1, 2).rest).toBe('Just ask.');
  expect(provider.requests.length, 'it is not asked for a third').toBe(2);
  speak(1, 3, 'Goodbye.');
  expect(lane.segment(1, 3).options.fedRate).toBeUndefined();
});

it('passes over a provider that failed, for longer each time, and asks the fallback', async () => {
  const second = new ScriptedProvider('backup');
  const { provider, speak, clock } = open(new ScriptedProvider(), second);
  speak(1);
  await provider.requests[0]!.end(new ProviderError('unreachable', 'down'));
  speak(2);
  expect([provider.requests.length, second.requests.length]).toEqual([1, 1]);
  await second.requests[0]!.end(new ProviderError('unreachable', 'down'));
  speak(3);
  expect([provider.requests.length, second.requests.length]).toEqual([1, 1]);
  clock.advance(5_000);
  speak(4);
  expect(provider.requests.length).toBe(2);
  await provider.requests[1]!.end(new ProviderError('unreachable', 'down'));
  clock.advance(5_000);
  speak(5);
  expect(provider.requests.length, 'ten seconds after the second failure in a row').toBe(2);
});

it('drops an interrupted speech, and keeps one that was ordered before the interruption was told', async () => {
  const { provider, provided, lane, speak, wants } = open();
  speak(1);
  speak(2, 0, 'Sorry, go on please, I am listening.');
  provided.take({ kind: 'speech_interrupted', speech: 1, reason: 'command', playedMs: 200, segments: [] });
  expect(provider.requests.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  wants(2, 0, 4_000);
  await provider.requests[1]!.sound(soundOf(2_500));
  await provider.requests[1]!.end();
  expect(lane.segment(2, 0).rest).toBe('');
});

it('asks nobody where the provider does not speak the language', () => {
  const { provider, provided, lane, speak } = open();
  provided.setLanguage('fr');
  speak(1);
  expect(provider.requests).toEqual([]);
  expect(lane.segment(1, 0).options.fedRate).toBeUndefined();
});

it('stops every request when the call ends', async () => {
  const { provider, provided, speak } = open();
  speak(1);
  provided.close();
  await settled();
  expect(provider.requests[0]!.signal.aborted).toBe(true);
});

it('leaves the circuit of other organizations closed where the texts of one fail', async () => {
  const { provider, clock, call, lane } = open();
  const isAsked = (owner: string, speech: number): boolean => {
    const before = provider.requests.length;
    call(owner).speak(speech, 0, TEXT, PLAYED_AT_ONCE);
    return provider.requests.length > before;
  };
  const fails = () => provider.requests.at(-1)!.end(new ProviderError('garbage', 'silence'));

  for (let speech = 1; speech <= 4; speech += 1) {
    expect(isAsked('org_1', speech)).toBe(true);
    await fails();
    expect(isAsked('org_1', 10 + speech), 'the circuit is open for who failed').toBe(false);
    clock.advance(5_000 * 2 ** (speech - 1));
  }
  expect(isAsked('org_2', 20)).toBe(true);
  await fails();
  expect(isAsked('org_3', 21), 'a second organization failed as well').toBe(false);
  clock.advance(5_000);
  expect(isAsked('org_3', 22)).toBe(true);
  const rest = provider.requests.at(-1)!;
  await rest.sound(soundOf(4_500));
  await rest.end();
  expect(isAsked('org_4', 23), 'the provider speaks again').toBe(true);
  expect(lane.segment(23, 0).options.fedRate).toBe(24_000);
});

it('learns the pace of one organization from its own texts', async () => {
  const { provider, call, faults } = open();
  for (let speech = 1; speech <= 6; speech += 1) {
    call('org_1').speak(speech, 0, '1234567890 1234567890 12', PLAYED_AT_ONCE);
    await provider.requests.at(-1)!.sound(soundOf(6_000));
    await provider.requests.at(-1)!.end();
  }
  call('org_2').speak(7, 0, TEXT, PLAYED_AT_ONCE);
  await provider.requests.at(-1)!.sound(soundOf(4_000));
  await provider.requests.at(-1)!.end();
  call('org_2').speak(8, 0, TEXT, PLAYED_AT_ONCE);
  expect(provider.requests, 'no failure opened the circuit').toHaveLength(8);
  expect(faults()).toEqual([]);
});
