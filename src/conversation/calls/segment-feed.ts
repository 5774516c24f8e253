import type { Clock } from '../../foundation/platform/clock.ts';
import {
  type HedgedSpeech,
  leadingSilenceBytes,
  ProviderError,
  type ProviderSound,
  resumePoint,
  type SpeakingPace,
  trailingSilence,
} from '../../speech/providers/index.ts';

export interface FedLane {
  feed(speech: number, segment: number, pcm: Uint8Array): boolean;
  /**
   * Ends the audio; the lane's own voice speaks the text from byte `fromByte` on, or nothing where it is null.
   * Returns false where the lane's input is full.
   */
  endFeed(speech: number, segment: number, fromByte: number | null): boolean;
}

export interface SegmentFeedOptions {
  readonly clock: Clock;
  readonly lane: FedLane;
  readonly provider: HedgedSpeech;
  readonly pace: Pick<SpeakingPace, 'learn' | 'expectedMs' | 'charactersAfter'>;
  readonly speech: number;
  readonly segment: number;
  readonly text: string;
  /** Makes of the text what the lane's own voice was given to speak. */
  readonly spell: (text: string) => string;
  readonly language: string;
  readonly before: Pick<SegmentFeed, 'endsAt' | 'isOver' | 'isDone'> | null;
  /** The audio comes from the stream of `before`, and only behind its end. */
  readonly followsBefore: boolean;
  readonly onDone: (failure: ProviderError | null, soundMs: number) => void;
}

/** The local voice takes this long to its first audio, so it is started while this much is left to play. */
const TAKEOVER_MS = 300;
const RECHECK_MS = 100;
/** No speaker pauses this long within a text. */
const MAX_SILENCE_MS = 1_500;
const LEADING_SILENCE_MS = 40;
/** One message to the lane carries this much audio, which leaves its input space for others. */
const MESSAGE_MS = 200;
const FULL_RETRY_MS = 20;
const LEAST_SHARE = 0.5;
/** Audio longer than the text's expected duration by this factor and MOST_EXTRA_MS cannot be its speech. */
const MOST_FACTOR = 2.5;
const MOST_EXTRA_MS = 3_000;

/**
 * Checks that a provider's audio comes in time and complete, and leaves the rest of the text to the lane's own voice
 * where it does not.
 */
export class SegmentFeed {
  readonly #options: SegmentFeedOptions;
  readonly #aborting = new AbortController();
  readonly #askedAt: number;
  #waiting: Uint8Array[] = [];
  #wantedMs = 0;
  #sentMs = 0;
  #receivedMs = 0;
  #silenceMs = 0;
  #hasSound = false;
  #characters: number | null = null;
  #lastSoundAt: number;
  #playingAt: number | null = null;
  #end: { readonly fromByte: number | null } | null = null;
  #isOver = false;
  #stopWatching: () => void = () => undefined;
  #stopRetrying: () => void = () => undefined;

  constructor(options: SegmentFeedOptions) {
    this.#options = options;
    this.#askedAt = options.clock.monotonic();
    this.#lastSoundAt = this.#askedAt;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isDone(): boolean {
    return this.#end !== null || this.#isOver;
  }

  get endsAt(): number | null {
    return this.#playingAt === null ? null : this.#playingAt + this.#receivedMs;
  }

  start(): void {
    this.#watch();
    void this.#run();
  }

  /** Leaves to the lane's own voice what the provider has not spoken. */
  leaveToLane(): void {
    if (this.isDone) return;
    this.#end = this.#rest();
    this.#stopWatching();
    this.#aborting.abort();
    this.#send();
  }

  grant(wantedMs: number): void {
    this.#wantedMs = Math.max(this.#wantedMs, wantedMs);
    this.#send();
  }

  onPlaying(): void {
    this.#playingAt ??= this.#options.clock.monotonic();
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopWatching();
    this.#stopRetrying();
    this.#waiting = [];
    this.#aborting.abort();
  }

  async #run(): Promise<void> {
    const { provider, text, language } = this.#options;
    const { signal } = this.#aborting;
    try {
      for await (const sound of provider.speak(text, language, signal)) {
        if (this.#end !== null || signal.aborted) return;
        this.#take(sound);
      }
      if (this.#end === null && !signal.aborted) this.#finish();
    } catch (error) {
      if (signal.aborted) return;
      const known = error instanceof ProviderError ? error : null;
      this.#fail(known ?? new ProviderError('garbage', String(error), { cause: error }));
    }
  }

  #take({ pcm, characters }: ProviderSound): void {
    const { clock, provider } = this.#options;
    const ms = (pcm.length / 2 / provider.rate) * 1000;
    const silence = trailingSilence(pcm, provider.rate);
    this.#silenceMs = silence.isSilent ? this.#silenceMs + ms : silence.ms;
    if (!this.#hasSound && silence.isSilent) {
      if (this.#silenceMs > this.#mostMs())
        this.#fail(new ProviderError('garbage', 'the provider sent silence in place of the text'));
      return;
    }
    const begins = this.#hasSound ? pcm : withoutLead(pcm, provider.rate);
    this.#hasSound = true;
    this.#receivedMs += (begins.length / 2 / provider.rate) * 1000;
    this.#characters = characters ?? this.#characters;
    this.#waiting.push(begins);
    if (!silence.isSilent) this.#lastSoundAt = clock.monotonic();
    if (this.#receivedMs > this.#mostMs()) {
      this.#waiting = [];
      this.#fail(new ProviderError('garbage', 'the provider sent more audio than the text requires'));
    } else if (this.#silenceMs > MAX_SILENCE_MS && !this.#isComplete())
      this.#fail(new ProviderError('garbage', 'the provider sent silence in the middle of the text'));
    else this.#send();
  }

  #mostMs(): number {
    const { pace, text } = this.#options;
    return pace.expectedMs(text) * MOST_FACTOR + MOST_EXTRA_MS;
  }

  #isComplete(): boolean {
    const { pace, text } = this.#options;
    return this.#receivedMs - this.#silenceMs >= pace.expectedMs(text) * LEAST_SHARE;
  }

  #finish(): void {
    if (this.#options.provider.knowsItsEnd !== true && !this.#isComplete()) {
      this.#fail(new ProviderError('incomplete', 'the provider’s audio ended before the text'));
      return;
    }
    const { pace, text } = this.#options;
    pace.learn(text, this.#receivedMs - this.#silenceMs);
    this.#done({ fromByte: null }, null);
  }

  #fail(error: ProviderError): void {
    if (this.isDone) return;
    this.#done(this.#rest(), error);
    this.#aborting.abort();
  }

  #rest(): { readonly fromByte: number } {
    const { pace, text, spell } = this.#options;
    const spoken = this.#characters ?? pace.charactersAfter(text, this.#receivedMs);
    const spelled = spell(text);
    let from = resumePoint(text, this.#hasSound ? spoken : 0);
    // Words that are spelled together are spoken together.
    while (!spelled.endsWith(spell(text.slice(from)))) from = text.slice(0, from - 1).lastIndexOf(' ') + 1;
    const before = spelled.slice(0, spelled.length - spell(text.slice(from)).length);
    return { fromByte: Buffer.byteLength(before) };
  }

  #done(end: { readonly fromByte: number | null }, failure: ProviderError | null): void {
    this.#end = end;
    this.#stopWatching();
    this.#options.onDone(failure, this.#receivedMs);
    this.#send();
  }

  #send(): void {
    const { lane, provider, speech, segment } = this.#options;
    if (this.#isOver) return;
    const bytesPerMs = (provider.rate * 2) / 1000;
    while (this.#waiting.length > 0 && this.#sentMs < this.#wantedMs) {
      const first = this.#waiting[0] as Uint8Array;
      const most = Math.min(MESSAGE_MS, this.#wantedMs - this.#sentMs) * bytesPerMs;
      const piece = first.subarray(0, Math.max(2, Math.floor(most / 2) * 2));
      if (!lane.feed(speech, segment, piece)) {
        this.#sendLater();
        return;
      }
      this.#sentMs += piece.length / bytesPerMs;
      if (piece.length === first.length) this.#waiting.shift();
      else this.#waiting[0] = first.subarray(piece.length);
    }
    // The lane asks when the segment's turn has come; an earlier end would be applied to the segment before it.
    if (this.#end === null || this.#waiting.length > 0 || this.#wantedMs === 0) return;
    this.#isOver = lane.endFeed(speech, segment, this.#end.fromByte);
    if (!this.#isOver) this.#sendLater();
  }

  #sendLater(): void {
    this.#stopRetrying();
    this.#stopRetrying = this.#options.clock.after(FULL_RETRY_MS, () => this.#send());
  }

  #watch(): void {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const deadline = this.#deadline(now);
    if (deadline === null || deadline > now) {
      const wait = deadline === null ? RECHECK_MS : deadline - now;
      this.#stopWatching = clock.after(Math.max(1, wait), () => this.#watch());
      return;
    }
    const what = this.#hasSound ? 'the next audio' : 'the first audio';
    const waited = Math.round(now - (this.#hasSound ? this.#lastSoundAt : this.#askedAt));
    this.#fail(new ProviderError('timeout', `${what} did not arrive within ${waited} ms`));
  }

  /**
   * Returns when the next audio is late: after the provider's own limit, and not before playout needs it. Returns
   * null while that is unknown.
   */
  #deadline(now: number): number | null {
    const { provider, before, followsBefore } = this.#options;
    if (followsBefore && before?.isDone === false) return null;
    const latest = this.#hasSound
      ? this.#lastSoundAt + provider.betweenAudioMs
      : this.#askedAt + provider.firstAudioMs;
    if (this.#hasSound && this.#playingAt !== null)
      return Math.max(latest, this.#playingAt + this.#receivedMs - TAKEOVER_MS);
    if (before === null || (before.isOver && before.endsAt === null)) return latest;
    if (before.endsAt === null) return latest > now ? latest : null;
    return Math.max(latest, before.endsAt - TAKEOVER_MS);
  }
}

function withoutLead(pcm: Uint8Array, rate: number): Uint8Array {
  const stays = Math.floor((LEADING_SILENCE_MS * rate) / 1000) * 2;
  return pcm.subarray(Math.max(0, leadingSilenceBytes(pcm) - stays));
}
