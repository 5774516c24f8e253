import type { Clock } from '../../foundation/platform/clock.ts';
import { isSpeakable } from './clause-splitter.ts';
import type { PlayedSegment, VoiceLane } from './voice-lane.ts';

export interface TurnWordsOptions {
  /** The lane's number for what the turn says. */
  readonly speech: number;
  readonly clock: Clock;
  readonly lane: VoiceLane;
  /** Synthesized but not played before `release`. */
  readonly held: boolean;
  /** The words wait until the caller is silent. */
  readonly yields: boolean;
}

/** The segments of a turn, in the order in which the voice gets them. */
export class TurnWords {
  /** The text of each segment, by number; fillers among them. */
  readonly texts = new Map<number, string>();
  readonly fillers = new Set<number>();
  /** When the first piece of the answer itself, no filler, was there to be spoken. */
  firstTextAt: number | null = null;
  readonly #options: TurnWordsOptions;
  #held: boolean;
  /** The first segment after the brain was last asked. */
  #roundFrom = 0;
  #preface: number | null = null;

  constructor(options: TurnWordsOptions) {
    this.#options = options;
    this.#held = options.held;
  }

  get isHeld(): boolean {
    return this.#held;
  }

  /** They do not begin while the caller speaks. */
  get yields(): boolean {
    return this.#options.yields;
  }

  /** It counts words since the brain was last asked: words before a tool call do not answer the tool's result. */
  get hasAnswer(): boolean {
    return [...this.texts.keys()].some((segment) => this.isAnswer(segment));
  }

  isAnswer(segment: number): boolean {
    return segment >= this.#roundFrom && !this.fillers.has(segment);
  }

  /** A tool has answered: what was said before is no answer to it. */
  beginRound(): void {
    this.#roundFrom = this.texts.size;
  }

  /** A piece of the answer. */
  answer(text: string): void {
    if (!isSpeakable(text)) return;
    this.firstTextAt ??= this.#options.clock.monotonic();
    this.say(text);
  }

  say(text: string): number {
    const segment = this.texts.size;
    this.texts.set(segment, text);
    const { lane, speech, yields } = this.#options;
    lane.speak(speech, segment, text, { held: this.#held, yields });
    return segment;
  }

  filler(words: string): void {
    this.fillers.add(this.say(words));
  }

  /** Words before the answer, which are none. */
  preface(line: string): void {
    this.#preface = this.say(line);
    this.fillers.add(this.#preface);
  }

  wasPrefacePlayed(segments: readonly PlayedSegment[]): boolean {
    const heard = segments.find(({ segment }) => segment === this.#preface);
    return heard?.complete === true && heard.playedMs >= heard.totalMs;
  }

  /** A segment after the preface plays: all of that was heard. */
  isPrefaceDone(segment: number): boolean {
    return this.#preface !== null && segment > this.#preface;
  }

  /** The words from this segment on, without fillers. */
  from(segment: number): string[] {
    return [...this.texts].flatMap(([number, text]) =>
      number < segment || this.fillers.has(number) ? [] : [text],
    );
  }

  /** Whether any of the answer made a sound. */
  hasSound(segments: readonly PlayedSegment[]): boolean {
    return segments.some(({ segment, totalMs }) => this.isAnswer(segment) && totalMs > 0);
  }

  release(): void {
    this.#held = false;
    this.#options.lane.release(this.#options.speech);
  }

  /** Nothing more is said. */
  finish(): void {
    this.#options.lane.finish(this.#options.speech);
  }
}
