import type { Clock } from '../../foundation/platform/clock.ts';
import {
  leadingSilenceBytes,
  ProviderError,
  type ProviderSound,
  resumePoint,
  type SpeakingPace,
  type SpeechProvider,
  trailingSilence,
} from '../../speech/providers/index.ts';

/** A lane whose segments are fed with sound that was made elsewhere. */
export interface FedLane {
  /** Sends the next sound of a segment. False: there is no room now. */
  feed(speech: number, segment: number, pcm: Uint8Array): boolean;
  /** No more sound is sent. The lane's own voice speaks the text from this byte on; null: all of it was sent. False: there is no
   * room now. */
  endFeed(speech: number, segment: number, fromByte: number | null): boolean;
}

export interface SegmentFeedOptions {
  readonly clock: Clock;
  readonly lane: FedLane;
  readonly provider: SpeechProvider;
  readonly pace: SpeakingPace;
  readonly speech: number;
  readonly segment: number;
  readonly text: string;
  readonly language: string;
  /** The segment that is played before this one, where there is one. */
  readonly before: Pick<SegmentFeed, 'endsAt' | 'isOver'> | null;
  /** The provider is done with the text, well or not. Not where it was cancelled. */
  readonly onDone: (failure: ProviderError | null, soundMs: number) => void;
}

/** The local voice needs so long to its first sound: it is asked for while there is still so much to play. */
const TAKEOVER_MS = 300;
/** How often a segment that waits for another one to be played looks again whether it is late. */
const RECHECK_MS = 100;
/** Silence in the middle of a text that no speaker makes. */
const MAX_SILENCE_MS = 1_500;
/** Silence before the first sound is left out but for so much. */
const LEADING_SILENCE_MS = 40;
/** One message to the lane; its input has room for many. */
const MESSAGE_MS = 200;
const FULL_RETRY_MS = 20;
/** Sound that is shorter than this share of what the text takes has ended too early. */
const LEAST_SHARE = 0.5;
/** Sound that is longer than what the text takes by this factor and so many milliseconds is no speech of it. */
const MOST_FACTOR = 2.5;
const MOST_EXTRA_MS = 3_000;

/** The sound of one segment, from the provider to the lane: watches that it comes in time and whole, and gives the rest of the text
 * to the lane's own voice where it does not. */
export class SegmentFeed {
  readonly #options: SegmentFeedOptions;
  readonly #aborting = new AbortController();
  readonly #askedAt: number;
  /** Sound that the lane has not asked for yet. */
  #waiting: Uint8Array[] = [];
  #wantedMs = 0;
  #sentMs = 0;
  #receivedMs = 0;
  #silenceMs = 0;
  #hasSound = false;
  #characters: number | null = null;
  #lastSoundAt: number;
  #playingAt: number | null = null;
  /** The byte at which the lane's voice goes on; null: nothing is left. */
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

  /** The provider is done with it; what it sent may still wait for the lane. */
  get isDone(): boolean {
    return this.#end !== null || this.#isOver;
  }

  /** When its sound will have been played, as far as it has come; null while it is not played yet. */
  get endsAt(): number | null {
    return this.#playingAt === null ? null : this.#playingAt + this.#receivedMs;
  }

  start(): void {
    this.#watch();
    void this.#run();
  }

  /** No provider is asked: the lane's own voice speaks the whole text. */
  leaveToLane(): void {
    this.#end = { fromByte: 0 };
  }

  /** The lane wants so much of the sound, from its beginning on. */
  grant(wantedMs: number): void {
    this.#wantedMs = Math.max(this.#wantedMs, wantedMs);
    this.#send();
  }

  onPlaying(): void {
    this.#playingAt ??= this.#options.clock.monotonic();
  }

  /** The segment was interrupted: nothing more of it is wanted. */
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
    const { clock, provider, pace, text } = this.#options;
    const ms = (pcm.length / 2 / provider.rate) * 1000;
    const silence = trailingSilence(pcm, provider.rate);
    this.#silenceMs = silence.isSilent ? this.#silenceMs + ms : silence.ms;
    if (!this.#hasSound && silence.isSilent) return;
    const begins = this.#hasSound ? pcm : withoutLead(pcm, provider.rate);
    this.#hasSound = true;
    this.#receivedMs += (begins.length / 2 / provider.rate) * 1000;
    this.#characters = characters ?? this.#characters;
    this.#waiting.push(begins);
    if (!silence.isSilent) this.#lastSoundAt = clock.monotonic();
    if (this.#receivedMs > pace.expectedMs(text) * MOST_FACTOR + MOST_EXTRA_MS) {
      this.#waiting = [];
      this.#fail(new ProviderError('garbage', 'the provider sends more sound than the text takes'));
    } else if (this.#silenceMs > MAX_SILENCE_MS && !this.#isComplete())
      this.#fail(new ProviderError('garbage', 'the provider sends silence in the middle of the text'));
    else this.#send();
  }

  /** All of the text was probably spoken. */
  #isComplete(): boolean {
    const { pace, text } = this.#options;
    return this.#receivedMs - this.#silenceMs >= pace.expectedMs(text) * LEAST_SHARE;
  }

  #finish(): void {
    if (!this.#isComplete()) {
      this.#fail(new ProviderError('incomplete', 'the sound of the provider ended before the text'));
      return;
    }
    const { pace, text } = this.#options;
    pace.learn(text, this.#receivedMs - this.#silenceMs);
    this.#done({ fromByte: null }, null);
  }

  #fail(error: ProviderError): void {
    if (this.#end !== null || this.#isOver) return;
    const { pace, text } = this.#options;
    const spoken = this.#characters ?? pace.charactersAfter(text, this.#receivedMs);
    const from = resumePoint(text, this.#hasSound ? spoken : 0);
    this.#done({ fromByte: Buffer.byteLength(text.slice(0, from)) }, error);
    this.#aborting.abort();
  }

  #done(end: { readonly fromByte: number | null }, failure: ProviderError | null): void {
    this.#end = end;
    this.#stopWatching();
    this.#options.onDone(failure, this.#receivedMs);
    this.#send();
  }

  /** Sends what the lane wants, and the end behind the last of it. */
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
    // The lane asks when the segment's turn has come; an end that comes before would be none of this segment.
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
    const what = this.#hasSound ? 'the next sound' : 'the first sound';
    const waited = Math.round(now - (this.#hasSound ? this.#lastSoundAt : this.#askedAt));
    this.#fail(new ProviderError('timeout', `${what} did not come within ${waited} ms`));
  }

  /** Returns when the next sound is late: after the provider's own bound, and not before it is needed. Null: it is not known when it is. */
  #deadline(now: number): number | null {
    const { provider, before } = this.#options;
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

/** The first sound of a segment, without most of the silence before it. */
function withoutLead(pcm: Uint8Array, rate: number): Uint8Array {
  const stays = Math.floor((LEADING_SILENCE_MS * rate) / 1000) * 2;
  return pcm.subarray(Math.max(0, leadingSilenceBytes(pcm) - stays));
}
