import type { MediaLeg } from '../contract.ts';
import type { PendingStreamListener } from '../streams/index.ts';
import { FarSide } from './far-side.ts';
import { FarStream } from './far-stream.ts';
import type { LoopbackExchange } from './loopback-call.ts';
import type { Scenario } from './scenario.ts';

export interface CallParty {
  hear(sound: Uint8Array): void;
  clear(): void;
  key(digit: string): void;
}

export interface FarEnd {
  connectTo(other: CallParty): CallParty;
  key(digit: string): void;
  mute(on: boolean): void;
  stop(): void;
}

export interface FarEvents {
  answered(media: MediaLeg): void;
  key(digit: string): void;
  hungUp(): void;
  closed(): void;
  gone(detail: string): void;
}

const nothing = (): void => undefined;

export function playedEnd(
  exchange: LoopbackExchange,
  callSid: string,
  scenario: Scenario,
  events: FarEvents,
): FarEnd {
  const { clock, dock, sounds, streamUrl, failed } = exchange;
  const { loss = 0, jitter_ms: jitterMs = 0, hang_up_after_ms: hangsUpAfter, echo = null } = scenario;
  let stopTimer = nothing;
  const token = dock.expect({
    started: (media) => {
      events.answered(media);
      if (hangsUpAfter !== undefined) stopTimer = clock.after(hangsUpAfter, () => events.hungUp());
      side.run().catch(failed);
    },
    key: (digit) => events.key(digit),
    over: () => events.closed(),
  });
  const gone = () => events.gone('the media stream could not be kept open');
  const stream = new FarStream({
    clock,
    url: streamUrl(),
    token,
    callSid,
    quality: { loss, jitterMs },
    echo,
    gone,
  });
  const side = new FarSide({
    clock,
    audio: stream.audio,
    sounds,
    scenario,
    press: (digit) => stream.press(digit),
    hangUp: () => events.hungUp(),
  });
  return {
    connectTo: (other) => stream.connectTo(other, (digit) => side.key(digit)),
    key: (digit) => side.key(digit),
    mute: (on) => stream.audio.mute(on),
    stop: () => {
      stopTimer();
      dock.forget(token);
      side.stop();
      stream.stop();
    },
  };
}

/**
 * Connects two calls of this network: each far end speaks the audio of the other's near side. Returns the end of
 * `one`, and the function that makes the end of the other.
 */
export function crossing(
  exchange: Pick<LoopbackExchange, 'clock' | 'dock' | 'streamUrl'>,
  one: { readonly callSid: string; readonly events: FarEvents },
  otherSid: string,
): readonly [FarEnd, (events: FarEvents) => FarEnd] {
  const { clock, dock, streamUrl } = exchange;
  const streams = new Map<string, FarStream>();
  const open = (callSid: string, acrossSid: string, events: FarEvents): FarEnd => {
    const across = () => streams.get(acrossSid);
    const token = dock.expect({
      started: (media) => events.answered(media),
      key: (digit) => events.key(digit),
      over: () => events.closed(),
    });
    const stream = new FarStream({
      clock,
      url: streamUrl(),
      token,
      callSid,
      quality: { loss: 0, jitterMs: 0 },
      echo: null,
      heard: (sound) => across()?.audio.feed(sound),
      cleared: () => across()?.audio.feed(null),
      gone: () => events.gone('the media stream could not be kept open'),
    });
    streams.set(callSid, stream);
    return {
      connectTo: (other) => stream.connectTo(other, (digit) => across()?.press(digit)),
      key: (digit) => across()?.press(digit),
      mute: (on) => stream.audio.mute(on),
      stop: () => {
        dock.forget(token);
        stream.stop();
      },
    };
  };
  return [open(one.callSid, otherSid, one.events), (events) => open(otherSid, one.callSid, events)];
}

export function transferredEnd(
  { clock, dock, streamUrl }: Pick<LoopbackExchange, 'clock' | 'dock' | 'streamUrl'>,
  { callSid, events }: { readonly callSid: string; readonly events: FarEvents },
  far: FarEnd,
): FarEnd {
  const token = dock.expect({
    started: (media) => events.answered(media),
    key: (digit) => events.key(digit),
    over: () => events.closed(),
  });
  const stream: FarStream = new FarStream({
    clock,
    url: streamUrl(),
    token,
    callSid,
    quality: { loss: 0, jitterMs: 0 },
    echo: null,
    heard: (sound) => there.hear(sound),
    cleared: () => there.clear(),
    gone: () => events.gone('the media stream could not be kept open'),
  });
  const there = far.connectTo({
    hear: (sound) => stream.audio.feed(sound),
    clear: () => stream.audio.feed(null),
    key: (digit) => stream.press(digit),
  });
  return {
    connectTo: (other) => stream.connectTo(other, (digit) => there.key(digit)),
    key: (digit) => there.key(digit),
    mute: (on) => stream.audio.mute(on),
    stop: () => {
      dock.forget(token);
      stream.stop();
    },
  };
}

const BRINGS_WITHIN_MS = 10_000;

/** A client that gets the token connects the media stream, and hangs up by closing it. */
export function broughtEnd(
  exchange: Pick<LoopbackExchange, 'clock' | 'dock'>,
  onKey: (token: string) => unknown,
  events: FarEvents,
): FarEnd {
  const { clock, dock } = exchange;
  let leg: (MediaLeg & { end(): void }) | null = null;
  let press = (digit: string) => events.key(digit);
  const stopTimer = clock.after(BRINGS_WITHIN_MS, () => events.gone('no client connected the audio stream'));
  const listener: PendingStreamListener = {
    started: (media) => {
      stopTimer();
      leg = media;
      events.answered(media);
    },
    key: (digit) => press(digit),
    over: () => events.hungUp(),
  };
  const token = dock.expect(listener);
  onKey(token);
  return {
    connectTo: (other) => {
      leg?.bind({ audio: (sound) => other.hear(sound) });
      press = (digit) => other.key(digit);
      return { hear: (sound) => leg?.send(sound), clear: () => leg?.clear(), key: nothing };
    },
    key: nothing,
    mute: nothing,
    stop: () => {
      stopTimer();
      dock.forget(token);
      leg?.end();
    },
  };
}
