// @requirement Providers: With `hedge_ms`, a second service is asked where the first is slow, and the first sound of the two is played.
import { expect, it } from 'vitest';
import { ProvidedLane } from '../../../src/conversation/calls/provided-lane.ts';
import type { LaneEvent } from '../../../src/conversation/session/index.ts';
import { ProviderError, SpeechProviders } from '../../../src/speech/providers/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { NotedLane, ScriptedProvider, settled, soundOf } from './scripted-provider.ts';

const TEXT = 'We are open from nine until five, and you may come at any time you like.';
const HEDGE_MS = 300;

class Hedged extends ScriptedProvider {
  readonly hedgeMs = HEDGE_MS;
}

function open() {
  const [first, other] = [new Hedged(), new ScriptedProvider('eu')];
  const clock = new ManualClock();
  const lane = new NotedLane();
  const events: LaneEvent[] = [];
  const failures: string[] = [];
  const providers = new SpeechProviders({
    clock,
    list: [{ provider: first, fallback: 'eu' }, { provider: other }],
    onFailure: ({ name }, { fault }) => failures.push(`${name} ${fault}`),
  });
  const provided = new ProvidedLane({
    lane,
    providers,
    chain: providers.chainOf(null),
    clock,
    owner: 'org_1',
    language: 'en',
    onEvent: (event) => events.push(event),
  });
  const speak = (speech: number, segment = 0) => {
    provided.speak(speech, segment, TEXT, { held: false, yields: false });
    provided.take({ kind: 'feed', speech, segment, wantedMs: 6_000 });
  };
  const advance = async (ms: number) => {
    await settled();
    clock.advance(ms);
    await settled();
  };
  const playing = () => provided.take({ kind: 'playing', speech: 1, segment: 0, atMs: 0 });
  const fallbacks = () => events.filter(({ kind }) => kind === 'voice_fallback').length;
  const requests = () => provided.providerUse.map(({ provider, requests }) => `${provider} ${requests}`);
  return { first, other, lane, provided, failures, speak, advance, playing, fallbacks, requests };
}

it('asks one service where its sound comes in time', async () => {
  const { first, other, lane, speak, advance, requests } = open();
  speak(1);
  await advance(HEDGE_MS - 1);
  await first.requests[0]!.sound(soundOf(4_500));
  await advance(HEDGE_MS);
  await first.requests[0]!.end();
  expect(other.requests).toEqual([]);
  expect(lane.segment(1, 0)).toMatchObject({ rest: '' });
  expect(lane.segment(1, 0).fedMs).toBeCloseTo(4_500, 0);
  expect(requests()).toEqual(['default 1']);
});

it('plays whichever is first once both are asked, and lets it speak the rest', async () => {
  const { first, other, lane, speak, advance, requests, failures, playing, fallbacks } = open();
  speak(1);
  speak(1, 1);
  await advance(HEDGE_MS);
  expect(other.requests.length).toBe(1);
  expect(first.requests.length, 'the next text waits for the choice').toBe(1);
  await other.requests[0]!.sound(soundOf(4_500));
  expect(first.requests[0]!.signal.aborted).toBe(true);
  await other.requests[0]!.end();
  playing();
  expect(lane.segment(1, 0)).toMatchObject({ rest: '' });
  expect([first.requests.length, other.requests.length]).toEqual([1, 2]);
  expect(requests()).toEqual(['default 1', 'eu 2']);
  expect([failures, fallbacks()]).toEqual([[], 0]);
});

it('plays the first service where it is sooner after all, and counts no silence as sound', async () => {
  const { first, other, lane, speak, advance } = open();
  speak(1);
  await advance(HEDGE_MS);
  await other.requests[0]!.sound(soundOf(200, 0));
  await first.requests[0]!.sound(soundOf(4_500));
  expect(other.requests[0]!.signal.aborted).toBe(true);
  await first.requests[0]!.end();
  expect(lane.segment(1, 0)).toMatchObject({ rest: '' });
});

it('asks the second at once where the first fails, without a word of the local voice', async () => {
  const { first, other, lane, speak, failures, playing, fallbacks, provided } = open();
  speak(1);
  await first.requests[0]!.end(new ProviderError('overloaded', 'busy'));
  expect(failures).toEqual(['default overloaded']);
  await other.requests[0]!.sound(soundOf(4_500));
  await other.requests[0]!.end();
  playing();
  expect(lane.segment(1, 0)).toMatchObject({ rest: '' });
  expect(fallbacks()).toBe(0);
  expect(provided.providerUse.map(({ failures: count }) => count)).toEqual([1, 0]);
});

it('leaves the text to the local voice where both fail', async () => {
  const { first, other, lane, speak, failures, playing, fallbacks } = open();
  speak(1);
  await first.requests[0]!.end(new ProviderError('unreachable', 'gone'));
  await other.requests[0]!.end();
  playing();
  expect(lane.segment(1, 0)).toMatchObject({ rest: TEXT, fedMs: 0 });
  expect(failures).toEqual(['default unreachable', 'eu incomplete']);
  expect(fallbacks()).toBe(1);
});

it('leaves the text to the local voice where neither has sound before the deadline', async () => {
  const { first, other, lane, speak, advance } = open();
  speak(1);
  await advance(HEDGE_MS);
  await advance(first.firstAudioMs - HEDGE_MS);
  expect(lane.segment(1, 0)).toMatchObject({ rest: TEXT, fedMs: 0 });
  expect([first, other].map(({ requests }) => requests[0]!.signal.aborted)).toEqual([true, true]);
});

it('does not ask a second service whose circuit is open', async () => {
  const { first, other, lane, speak, advance, failures } = open();
  speak(1);
  await advance(HEDGE_MS);
  await other.requests[0]!.end(new ProviderError('overloaded', 'busy'));
  await first.requests[0]!.sound(soundOf(4_500));
  await first.requests[0]!.end();
  expect([lane.segment(1, 0).rest, failures]).toEqual(['', ['eu overloaded']]);
  speak(2);
  await advance(HEDGE_MS);
  expect(other.requests.length).toBe(1);
  await first.requests[1]!.sound(soundOf(4_500));
  await first.requests[1]!.end();
  expect(lane.segment(2, 0).rest).toBe('');
});

it('ends both requests where the speech is interrupted', async () => {
  const { first, other, provided, speak, advance } = open();
  speak(1);
  await advance(HEDGE_MS);
  provided.discard(1);
  await settled();
  expect([first, other].map(({ requests }) => requests[0]!.signal.aborted)).toEqual([true, true]);
});
