import type { Clock } from '../../foundation/platform/clock.ts';
import {
  ProviderError,
  type ProviderSound,
  RawSound,
  type SpeakingPace,
  type SpeechProvider,
  spokenIn,
  trailingSilence,
} from '../../speech/providers/index.ts';
import type { AnswerVoice } from '../brains/index.ts';

const FRAME_MS = 20;
/** A message to the lane carries this much, so that the first audio does not wait for more. */
const BATCH_MS = 100;
/** A text ends at a pause within these shares of its expected duration, or at the second one. */
const EARLIEST_END = 0.8;
const LATEST_END = 1.4;
/** Sentences are this far apart; behind the expected end, a shorter pause will do. */
const SENTENCE_PAUSE_MS = 150;
const SHORT_PAUSE_MS = 60;
/** Speech without its pauses has this share of its expected duration, or else some of it was lost. */
const LEAST_SHARE = 0.7;
/** The pace of a voice that is heard for the first time is a guess. */
const LEAST_SHARE_AT_FIRST = 0.5;
const END_OF_RESPONSE_MS = 100;

interface Frame {
  readonly pcm: Uint8Array;
  readonly isSilent: boolean;
  /** The letters of the words that came before this audio. */
  readonly letters: number;
}

/**
 * The own voice of a realtime model, for one answer. The model sends one stream of audio and no times of its words, so
 * each text of the answer gets audio up to a pause near its expected end.
 */
export class ModelVoice implements SpeechProvider {
  readonly name: string;
  readonly host: string;
  readonly region = null;
  readonly rate: number;
  readonly firstAudioMs: number;
  readonly betweenAudioMs: number;
  readonly microsPerThousandCharacters = 0;
  /** An answer without its end throws, and one with it is whole, however its audio is divided. */
  readonly knowsItsEnd = true;
  readonly pace: Pick<SpeakingPace, 'learn' | 'expectedMs' | 'charactersAfter'>;
  readonly #answer: AnswerVoice;
  readonly #clock: Clock;
  readonly #usual: SpeakingPace;
  readonly #raw = new RawSound();
  #frames: Frame[] = [];
  #open: Uint8Array = new Uint8Array(0);
  #letters = 0;
  /** The words whose letters are counted, which may be ahead of the audio. */
  #counted = 0;
  #countedLetters = 0;
  #heardMs = 0;
  #audibleMs = 0;
  #givenLetters = 0;
  #before: Promise<void> = Promise.resolve();
  #isLearned = false;

  constructor(answer: AnswerVoice, clock: Clock, paceOf: (voice: ModelVoice) => SpeakingPace) {
    const { name, host, rate, firstAudioMs, betweenAudioMs } = answer.of;
    this.name = `brain:${name}`;
    this.host = host;
    this.rate = rate;
    this.firstAudioMs = firstAudioMs;
    this.betweenAudioMs = betweenAudioMs;
    this.#answer = answer;
    this.#clock = clock;
    const usual = paceOf(this);
    this.#usual = usual;
    this.pace = {
      expectedMs: (text) => usual.expectedMs(text),
      charactersAfter: (text, ms) => usual.charactersAfter(text, ms),
      // A text's share of the audio follows from the pace and says nothing about it.
      learn: () => undefined,
    };
  }

  serves = (): boolean => true;

  /** Gives the texts of the answer their audio, in the order in which they are asked for. */
  async *speak(text: string, _language: string, signal: AbortSignal): AsyncGenerator<ProviderSound> {
    const until = this.#givenLetters + spokenIn(text);
    this.#givenLetters = until;
    const before = this.#before;
    let release = (): void => undefined;
    this.#before = new Promise((resolve) => {
      release = resolve;
    });
    try {
      await before;
      const end = new TextEnd(until, this.pace.expectedMs(text));
      let batch: Uint8Array[] = [];
      while (!signal.aborted) {
        const frame = this.#next();
        const isOver = frame !== null && this.#lettersSoFar() > until && end.isBefore(frame);
        if (frame !== null && !isOver) {
          end.pass(frame);
          this.#frames.shift();
          this.#heardMs += this.#msOf(frame.pcm);
          if (!frame.isSilent) this.#audibleMs += this.#msOf(frame.pcm);
          batch.push(frame.pcm);
          if (batch.length * FRAME_MS < BATCH_MS) continue;
        }
        if (batch.length > 0) yield { pcm: Buffer.concat(batch) };
        else if (isOver && end.isSilent)
          throw new ProviderError('garbage', 'the model sent silence in place of the text');
        else if (isOver || this.#isOver(end)) return;
        else await this.#changed(signal);
        batch = [];
      }
    } finally {
      release();
    }
  }

  /** A response ends right behind its audio, or later where it calls a tool. */
  async #changed(signal: AbortSignal): Promise<void> {
    const answer = this.#answer;
    const stop = answer.isPaused
      ? this.#clock.after(END_OF_RESPONSE_MS, () => answer.finish('complete'))
      : () => undefined;
    await answer.changed(signal);
    stop();
  }

  /** Each frame asks for it, so that words which were counted are not read again. */
  #lettersSoFar(): number {
    const { words } = this.#answer;
    if (words.length > this.#counted) this.#countedLetters += spokenIn(words.slice(this.#counted));
    this.#counted = words.length;
    return this.#countedLetters;
  }

  /** Throws ProviderError where the answer ends before the text. */
  #isOver(text: TextEnd): boolean {
    const { end, words } = this.#answer;
    if (end === null) return false;
    const least = this.#usual.isKnown ? LEAST_SHARE : LEAST_SHARE_AT_FIRST;
    const isShort = this.#audibleMs < this.pace.expectedMs(words) * least;
    if ((isShort || end === 'cut') && !text.isReached)
      throw new ProviderError('incomplete', 'the audio of the model ended before its answer');
    if (end === 'complete' && !this.#isLearned) this.#usual.learn(words, this.#heardMs);
    this.#isLearned = true;
    return true;
  }

  #next(): Frame | null {
    while (this.#frames.length === 0) {
      const part = this.#answer.take();
      if (part === undefined) return this.#answer.end === null ? null : this.#rest();
      if (typeof part === 'string') this.#letters += spokenIn(part);
      else this.#cut(this.#raw.take(part));
    }
    return this.#frames[0] as Frame;
  }

  #rest(): Frame | null {
    if (this.#open.length > 0) this.#push(this.#open);
    this.#open = new Uint8Array(0);
    return this.#frames[0] ?? null;
  }

  #cut(pcm: Uint8Array): void {
    const all = Buffer.concat([this.#open, pcm]);
    const bytes = (this.rate / 1_000) * FRAME_MS * 2;
    let at = 0;
    for (; at + bytes <= all.length; at += bytes) this.#push(all.subarray(at, at + bytes));
    this.#open = all.subarray(at);
  }

  #push(pcm: Uint8Array): void {
    this.#frames.push({ pcm, isSilent: trailingSilence(pcm, this.rate).isSilent, letters: this.#letters });
  }

  #msOf = (pcm: Uint8Array): number => (pcm.length / 2 / this.rate) * 1_000;
}

/** Finds where the audio of a text ends, once more words follow it. */
class TextEnd {
  readonly #until: number;
  readonly #expectedMs: number;
  #ms = 0;
  #pauseMs = 0;
  isSilent = true;
  /** The words behind the text had not come before the last audio. */
  #isAhead = false;

  constructor(until: number, expectedMs: number) {
    this.#until = until;
    this.#expectedMs = expectedMs;
  }

  /** The audio paused where the text may end. */
  get isReached(): boolean {
    return !this.isSilent && this.#ms >= this.#expectedMs * EARLIEST_END && this.#pauseMs >= SHORT_PAUSE_MS;
  }

  pass({ isSilent, letters }: Frame): void {
    this.#ms += FRAME_MS;
    this.isSilent &&= isSilent;
    this.#pauseMs = isSilent ? this.#pauseMs + FRAME_MS : 0;
    this.#isAhead = letters <= this.#until;
  }

  isBefore({ isSilent, letters }: Frame): boolean {
    if (this.#ms < this.#expectedMs * EARLIEST_END) return false;
    if (this.#ms >= this.#expectedMs * LATEST_END) return true;
    // A server that sends words with their audio shows the end.
    if (this.#isAhead && letters > this.#until) return true;
    const pauseMs = this.#ms < this.#expectedMs ? SENTENCE_PAUSE_MS : SHORT_PAUSE_MS;
    return !isSilent && this.#pauseMs >= pauseMs;
  }
}
