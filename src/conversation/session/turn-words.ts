import type { Clock } from '../../foundation/platform/clock.ts';
import type { AnswerVoice } from '../brains/index.ts';
import { isSpeakable } from './clause-splitter.ts';
import type { PlayedSegment, VoiceLane } from './voice-lane.ts';

export interface TurnWordsOptions {
  readonly speech: number;
  readonly clock: Clock;
  readonly lane: VoiceLane;
  /** A held speech is synthesized but not played before `release`. */
  readonly held: boolean;
  readonly yields: boolean;
}

export class TurnWords {
  readonly texts = new Map<number, string>();
  readonly fillers = new Set<number>();
  firstTextAt: number | null = null;
  readonly #options: TurnWordsOptions;
  #held: boolean;
  #roundFrom = 0;
  #preface: number | null = null;

  constructor(options: TurnWordsOptions) {
    this.#options = options;
    this.#held = options.held;
  }

  get isHeld(): boolean {
    return this.#held;
  }

  get yields(): boolean {
    return this.#options.yields;
  }

  /** It counts words since the last request to the brain: words before a tool call do not answer the tool's result. */
  get hasAnswer(): boolean {
    return [...this.texts.keys()].some((segment) => this.isAnswer(segment));
  }

  isAnswer(segment: number): boolean {
    return segment >= this.#roundFrom && !this.fillers.has(segment);
  }

  beginRound(): void {
    this.#roundFrom = this.texts.size;
  }

  answer(text: string, voice: AnswerVoice | null = null): void {
    if (!isSpeakable(text)) return;
    this.firstTextAt ??= this.#options.clock.monotonic();
    this.say(text, voice);
  }

  say(text: string, voice: AnswerVoice | null = null): number {
    const segment = this.texts.size;
    this.texts.set(segment, text);
    const { lane, speech, yields } = this.#options;
    lane.speak(speech, segment, text, {
      held: this.#held,
      yields,
      ...(voice === null ? {} : { voice }),
    });
    return segment;
  }

  filler(words: string): void {
    this.fillers.add(this.say(words));
  }

  preface(line: string): void {
    this.#preface = this.say(line);
    this.fillers.add(this.#preface);
  }

  wasPrefacePlayed(segments: readonly PlayedSegment[]): boolean {
    const heard = segments.find(({ segment }) => segment === this.#preface);
    return heard?.complete === true && heard.playedMs >= heard.totalMs;
  }

  isPrefaceDone(segment: number): boolean {
    return this.#preface !== null && segment > this.#preface;
  }

  from(segment: number): string[] {
    return [...this.texts].flatMap(([number, text]) =>
      number < segment || this.fillers.has(number) ? [] : [text],
    );
  }

  hasSound(segments: readonly PlayedSegment[]): boolean {
    return segments.some(({ segment, totalMs }) => this.isAnswer(segment) && totalMs > 0);
  }

  release(): void {
    this.#held = false;
    this.#options.lane.release(this.#options.speech);
  }

  finish(): void {
    this.#options.lane.finish(this.#options.speech);
  }
}
