import type { VoiceEngine, VoiceLaneOptions } from '../../conversation/calls/index.ts';
import type { PlayedSegment, SpeakOptions } from '../../conversation/session/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';

export interface TextRelay {
  token(text: string): void;
  last(): void;
  language(language: string): void;
}

type CallLane = Awaited<ReturnType<VoiceEngine['openLane']>>;

/**
 * The relay does not report its playout: the pace is an estimate on the slow side, because a call that ends with the
 * agent's last word must not end before that word was played. A prompt without an interruption corrects it.
 */
const MS_PER_CHARACTER = 75;

interface Segment {
  readonly segment: number;
  readonly text: string;
}

interface Speech {
  readonly number: number;
  readonly segments: Segment[];
  held: boolean;
  finished: boolean;
}

interface Playing {
  readonly speech: Speech;
  readonly startedAt: number;
  readonly stop: (() => void)[];
}

/** Five minutes of speech in one turn; what reads them takes longer for each character. */
const MOST_CHARACTERS = 4_000;

export class TextLane implements CallLane {
  readonly usesVoiceUnderLoad = false;
  readonly #clock: Clock;
  readonly #relay: TextRelay;
  readonly #options: VoiceLaneOptions;
  readonly #openedAt: number;
  readonly #waiting: Speech[] = [];
  #playing: Playing | null = null;
  #utterance = 0;
  #speaksSince: number | null = null;
  #closed = false;

  constructor(clock: Clock, relay: TextRelay, options: VoiceLaneOptions) {
    this.#clock = clock;
    this.#relay = relay;
    this.#options = options;
    this.#openedAt = clock.monotonic();
  }

  /** `isWhole` marks the end of the caller's turn. */
  prompt(said: string, isWhole: boolean): void {
    const text = said.slice(0, MOST_CHARACTERS);
    const atMs = this.#nowMs();
    if (this.#speaksSince === null) {
      this.#speaksSince = atMs;
      this.#options.onEvent({ kind: 'speech_start', atMs });
    }
    if (!isWhole) {
      this.#options.onEvent({ kind: 'partial', utterance: this.#utterance, text });
      return;
    }
    // Without an interruption, all text that was sent has been played.
    if (this.#playing?.speech.finished === true) this.#played(this.#playing);
    const startMs = this.#speaksSince;
    this.#speaksSince = null;
    const utterance = this.#utterance++;
    this.#options.onEvent({ kind: 'final', utterance, text, startMs, endMs: atMs, atMs, asrMs: 0 });
  }

  /** The caller interrupted the agent, whose text was played up to `heard`. */
  interrupted(heard: string): void {
    const playing = this.#playing;
    if (playing === null) return;
    const atMs = this.#nowMs();
    this.#speaksSince ??= atMs;
    this.#options.onEvent({ kind: 'speech_start', atMs });
    this.#interrupt(playing, 'barge_in', lettersOf(heard).length * MS_PER_CHARACTER);
  }

  push = (): boolean => true;

  speak(speech: number, segment: number, text: string, { held }: SpeakOptions): void {
    if (this.#closed) return;
    const known = this.#find(speech);
    const made = known ?? { number: speech, segments: [], held, finished: false };
    if (known === undefined) this.#waiting.push(made);
    made.segments.push({ segment, text });
    if (this.#playing?.speech === made) this.#send(this.#playing, made.segments.length - 1);
    else this.#next();
  }

  finish(speech: number): void {
    const found = this.#find(speech);
    if (found === undefined || found.finished) return;
    found.finished = true;
    if (this.#playing?.speech === found) this.#sent(this.#playing);
    else this.#next();
  }

  release(speech: number): void {
    const found = this.#find(speech);
    if (found === undefined) return;
    found.held = false;
    this.#next();
  }

  discard(speech: number): void {
    const at = this.#waiting.findIndex(({ number }) => number === speech);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  stopPlayback(): void {
    const playing = this.#playing;
    if (playing === null) return;
    const playedMs = this.#clock.monotonic() - playing.startedAt;
    this.#clock.after(0, () => {
      if (this.#playing === playing) this.#interrupt(playing, 'command', playedMs);
    });
  }

  setVoice(): void {
    // The relay speaks with its own voice.
  }

  setLanguage(language: string): void {
    this.#relay.language(language);
  }

  record(): void {
    this.#options.recording?.failed('a text call has no audio to record');
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const stop of this.#playing?.stop ?? []) stop();
    this.#playing = null;
    this.#waiting.length = 0;
    this.#options.recording?.closed();
  }

  #find = (number: number): Speech | undefined =>
    this.#playing?.speech.number === number
      ? this.#playing.speech
      : this.#waiting.find((one) => one.number === number);

  #nowMs = (): number => Math.round(this.#clock.monotonic() - this.#openedAt);

  /** Sends one utterance at a time: a waiting utterance can still be discarded, a sent one can't. */
  #next(): void {
    const [speech] = this.#waiting;
    if (this.#playing !== null || speech === undefined || speech.held) return;
    if (speech.segments.length === 0 && !speech.finished) return;
    this.#waiting.shift();
    const playing: Playing = { speech, startedAt: this.#clock.monotonic(), stop: [] };
    this.#playing = playing;
    for (const at of speech.segments.keys()) this.#send(playing, at);
    if (speech.finished) this.#sent(playing);
  }

  #send(playing: Playing, at: number): void {
    const { number: speech, segments } = playing.speech;
    const { segment, text } = segments[at] as Segment;
    this.#relay.token(at === 0 ? text : ` ${text}`);
    this.#at(playing, durationOf(segments.slice(0, at)), () =>
      this.#options.onEvent({ kind: 'playing', speech, segment, atMs: this.#nowMs() }),
    );
  }

  #sent(playing: Playing): void {
    this.#relay.last();
    this.#at(playing, durationOf(playing.speech.segments), () => this.#played(playing));
  }

  #at(playing: Playing, afterMs: number, task: () => void): void {
    const ms = playing.startedAt + afterMs - this.#clock.monotonic();
    playing.stop.push(
      this.#clock.after(Math.max(0, ms), () => {
        if (this.#playing === playing && !this.#closed) task();
      }),
    );
  }

  #played(playing: Playing): void {
    this.#over(playing);
    const { number: speech, segments } = playing.speech;
    this.#options.onEvent({
      kind: 'speech_played',
      speech,
      segments: playedOf(segments, Number.POSITIVE_INFINITY),
    });
    this.#next();
  }

  #interrupt(playing: Playing, reason: 'barge_in' | 'command', playedMs: number): void {
    this.#over(playing);
    const { number: speech, segments } = playing.speech;
    const played = playedOf(segments, playedMs);
    this.#options.onEvent({
      kind: 'speech_interrupted',
      speech,
      reason,
      playedMs: Math.round(playedMs),
      segments: played,
    });
    this.#next();
  }

  #over(playing: Playing): void {
    for (const stop of playing.stop) stop();
    this.#playing = null;
  }
}

export const textEngine = (
  clock: Clock,
  relay: TextRelay,
  opened: (lane: TextLane) => void,
): VoiceEngine => ({
  async openLane(options) {
    const lane = new TextLane(clock, relay, options);
    opened(lane);
    return lane;
  },
});

const msOf = ({ text }: Segment): number => text.length * MS_PER_CHARACTER;
const durationOf = (segments: readonly Segment[]): number =>
  segments.reduce((sum, segment) => sum + msOf(segment), 0);

/** Spaces are normalized, because a relay may join tokens differently. */
const lettersOf = (text: string): string => text.replace(/\s+/g, ' ').trim();

function playedOf(segments: readonly Segment[], playedMs: number): PlayedSegment[] {
  let left = playedMs;
  return segments.flatMap((segment) => {
    const totalMs = msOf(segment);
    const heard = Math.max(0, Math.min(totalMs, left));
    left -= totalMs;
    return heard > 0
      ? [{ segment: segment.segment, playedMs: Math.round(heard), totalMs, complete: true }]
      : [];
  });
}
