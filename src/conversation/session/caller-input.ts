import type { Clock } from '../../foundation/platform/clock.ts';
import type { AgentTurn } from './agent-turn.ts';
import type { IdlePlan } from './contract.ts';
import type { ConversationHistory } from './conversation-history.ts';
import { DeferredBackchannel } from './deferred-backchannel.ts';
import { DtmfCollector } from './dtmf-collector.ts';
import { IdleTimer } from './idle-timer.ts';
import { PendingUtterance } from './pending-utterance.ts';
import type { TurnNumbers } from './turn-numbers.ts';
import type { CallerUtterance } from './voice-lane.ts';

export interface CallerInputOptions {
  readonly clock: Clock;
  readonly numbers: TurnNumbers;
  readonly conversation: ConversationHistory;
  readonly idle?: IdlePlan | undefined;
  readonly transcript: (turnId: number, text: string, final: boolean) => void;
  readonly speech: (kind: 'started' | 'stopped', atMs: number) => void;
  readonly onKeys: (keys: CallerUtterance) => void;
  readonly onIdle: (gone: boolean) => void;
  /** Speech that looked like a turn was not one, so the interrupted agent continues. */
  readonly onNoTurn: () => void;
}

export class CallerInput {
  readonly #options: CallerInputOptions;
  readonly #keypad: DtmfCollector;
  readonly #idle: IdleTimer;
  readonly #early: DeferredBackchannel;
  readonly #lastWords: PendingUtterance;
  #speaks = false;

  constructor(options: CallerInputOptions) {
    this.#options = options;
    const { clock } = options;
    this.#early = new DeferredBackchannel(clock);
    this.#lastWords = new PendingUtterance(clock);
    this.#keypad = new DtmfCollector(clock, options.onKeys);
    this.#idle = new IdleTimer(clock, options.onIdle, options.idle);
  }

  get isSpeaking(): boolean {
    return this.#speaks;
  }

  get isBusy(): boolean {
    return this.#speaks || this.#keypad.isCollecting;
  }

  onSpeechStart(atMs: number): void {
    this.#speaks = true;
    this.#lastWords.onSpeechStart(atMs);
    this.#idle.stop();
    this.#options.speech('started', atMs);
  }

  onPartial(text: string): void {
    this.#lastWords.onPartial(text);
    const { numbers, transcript } = this.#options;
    transcript(numbers.callerTurn(), text, false);
  }

  onEagerEnd(utterance: CallerUtterance): void {
    this.#lastWords.onEagerEnd(utterance);
  }

  onSpeechEnd(endMs = this.#lastWords.nowMs): void {
    this.#speaks = false;
    this.#options.speech('stopped', endMs);
    this.#lastWords.clear();
  }

  onDtmf(digits: string, atMs: number): void {
    this.#keypad.add(digits, atMs);
  }

  withDtmf(utterance: CallerUtterance): CallerUtterance {
    return this.#keypad.prependTo(utterance);
  }

  flushPending(): void {
    const words = this.#lastWords.take();
    const last = words === null ? this.#keypad.clear() : this.#keypad.prependTo(words);
    if (last === null) return;
    this.#write(last, this.#options.numbers.finishCallerTurn());
  }

  deferBackchannel(utterance: CallerUtterance, turn: AgentTurn): boolean {
    return this.#early.defer(utterance, turn);
  }

  deferredAnswerTo(turn: AgentTurn): CallerUtterance | null {
    return this.#early.confirmedFor(turn);
  }

  flushBackchannel(): void {
    const unconfirmed = this.#early.takeUnconfirmed();
    if (unconfirmed !== null) this.addBackchannel(unconfirmed.utterance, unconfirmed.turnId);
  }

  addBackchannel(utterance: CallerUtterance, turnId: number): void {
    this.releaseTurn();
    if (utterance.text !== '') this.#write(utterance, turnId);
  }

  releaseTurn(): void {
    this.#options.numbers.releaseCallerTurn();
    this.#options.onNoTurn();
  }

  startIdleTimer = (): void => this.#idle.start();
  closeIdleTimer = (): void => this.#idle.close();
  stopIdleTimer = (): void => this.#idle.stop();
  resetIdleTimer = (): void => this.#idle.reset();

  #write({ text, startMs, endMs }: CallerUtterance, turnId: number): void {
    this.#options.conversation.addBackchannel({ turnId, text, startMs, endMs });
    this.#options.transcript(turnId, text, true);
  }
}
