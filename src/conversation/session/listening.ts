import type { Clock } from '../../foundation/platform/clock.ts';
import type { AgentTurn } from './agent-turn.ts';
import type { IdlePlan } from './contract.ts';
import type { Conversation } from './conversation.ts';
import { EarlyAnswer } from './early-answer.ts';
import { IdleWatch } from './idle-watch.ts';
import { Keypad } from './keypad.ts';
import { LastWords } from './last-words.ts';
import type { TurnNumbers } from './turn-numbers.ts';
import type { CallerUtterance } from './voice-lane.ts';

export interface ListeningOptions {
  readonly clock: Clock;
  readonly numbers: TurnNumbers;
  readonly conversation: Conversation;
  readonly idle?: IdlePlan | undefined;
  readonly transcript: (turnId: number, text: string, final: boolean) => void;
  /** The caller begins to speak, or has stopped. */
  readonly speech: (kind: 'started' | 'stopped', atMs: number) => void;
  /** The last key of a number was pressed: it makes a turn. */
  readonly onKeys: (keys: CallerUtterance) => void;
  readonly onIdle: (gone: boolean) => void;
  /** What seemed to be a turn came to nothing: whoever has waited for its end goes on. */
  readonly onNoTurn: () => void;
}

/** The caller's side: who speaks or presses keys, and words of theirs that take no turn. */
export class Listening {
  readonly #options: ListeningOptions;
  readonly #keypad: Keypad;
  readonly #idle: IdleWatch;
  readonly #early: EarlyAnswer;
  readonly #lastWords: LastWords;
  #speaks = false;

  constructor(options: ListeningOptions) {
    this.#options = options;
    const { clock } = options;
    this.#early = new EarlyAnswer(clock);
    this.#lastWords = new LastWords(clock);
    this.#keypad = new Keypad(clock, options.onKeys);
    this.#idle = new IdleWatch(clock, options.onIdle, options.idle);
  }

  get speaks(): boolean {
    return this.#speaks;
  }

  /** More of the caller may come: they speak, or press keys. */
  get isBusy(): boolean {
    return this.#speaks || this.#keypad.waits;
  }

  began(atMs: number): void {
    this.#speaks = true;
    this.#lastWords.began(atMs);
    this.#idle.stop();
    this.#options.speech('started', atMs);
  }

  heard(text: string): void {
    this.#lastWords.heard(text);
    const { numbers, transcript } = this.#options;
    transcript(numbers.ofCaller(), text, false);
  }

  guessed(utterance: CallerUtterance): void {
    this.#lastWords.guessed(utterance);
  }

  /** The caller is silent. `endMs`: since when, where it is known. */
  done(endMs = this.#lastWords.now): void {
    this.#speaks = false;
    this.#options.speech('stopped', endMs);
    this.#lastWords.done();
  }

  press(digits: string, atMs: number): void {
    this.#keypad.press(digits, atMs);
  }

  /** Who speaks on behind the keys has said both in one turn. */
  withKeys(utterance: CallerUtterance): CallerUtterance {
    return this.#keypad.before(utterance);
  }

  /** What the caller was saying or pressing when the call ended. */
  noteLast(): void {
    const words = this.#lastWords.take();
    const last = words === null ? this.#keypad.clear() : this.#keypad.before(words);
    if (last === null) return;
    this.#write(last, this.#options.numbers.callerIsDone());
  }

  /** True: whether it is an answer is known when the agent has asked to the end. */
  keep(utterance: CallerUtterance, turn: AgentTurn): boolean {
    return this.#early.keep(utterance, turn);
  }

  /** The answer that was given in the last words of the agent's question. */
  answerTo(turn: AgentTurn): CallerUtterance | null {
    return this.#early.answerTo(turn);
  }

  /** What was kept as an answer and is none. */
  tell(): void {
    const kept = this.#early.take();
    if (kept !== null) this.note(kept.utterance, kept.turnId);
  }

  /** A sign of listening: no turn. */
  note(utterance: CallerUtterance, turnId: number): void {
    this.hadNoTurn();
    if (utterance.text !== '') this.#write(utterance, turnId);
  }

  hadNoTurn(): void {
    this.#options.numbers.callerHadNone();
    this.#options.onNoTurn();
  }

  /** It is the caller's turn now. */
  wait = (): void => this.#idle.start();
  stopWaiting = (): void => this.#idle.stop();
  answered = (): void => this.#idle.answered();

  #write({ text, startMs, endMs }: CallerUtterance, turnId: number): void {
    this.#options.conversation.backchannel({ turnId, text, startMs, endMs });
    this.#options.transcript(turnId, text, true);
  }
}
