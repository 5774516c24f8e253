import type { CallerInput } from './caller-input.ts';
import type { EndReason } from './contract.ts';
import type { ConversationHistory } from './conversation-history.ts';
import type { Floor } from './floor.ts';
import type { Interlude } from './interlude.ts';
import type { InterludeRunner } from './interlude-runner.ts';
import { phraseOf } from './phrases.ts';
import { quoteContext } from './quoting.ts';
import type { ResponseController } from './response-controller.ts';
import type { SessionState } from './session-state.ts';
import type { TurnNumbers } from './turn-numbers.ts';
import type { CallerUtterance } from './voice-lane.ts';

export interface InjectedInputOptions {
  readonly state: SessionState;
  readonly floor: Floor;
  readonly numbers: TurnNumbers;
  readonly answering: ResponseController;
  readonly interludes: InterludeRunner;
  readonly conversation: ConversationHistory;
  readonly listening: CallerInput;
  readonly takeTurn: (utterance: CallerUtterance) => void;
  readonly end: (reason: EndReason) => void;
}

export class InjectedInput {
  readonly #options: InjectedInputOptions;

  constructor(options: InjectedInputOptions) {
    this.#options = options;
  }

  /** Typed input interrupts the agent, as speech does. */
  typedTurn(text: string, atMs: number): void {
    if (!this.#options.state.isLive) return;
    this.#options.answering.discardSpeculation();
    this.#options.takeTurn({ utterance: -1, text, startMs: atMs, endMs: atMs, atMs, asrMs: 0 });
  }

  /**
   * The agent takes the turn without a question and speaks as instructed. Returns false where a flow or an open
   * question decides what it says.
   */
  respond(instructions: string): boolean {
    const { state, floor, answering, interludes, conversation, numbers } = this.#options;
    if (!state.isLive || state.isMuted) return true;
    if (interludes.isActive) return false;
    floor.release();
    const turnId = numbers.finishCallerTurn();
    const text = quoteContext(instructions);
    conversation.addNote(turnId, text);
    answering.answerQuestion({ turnId, text, query: '' });
    return true;
  }

  /** The brain gets the text with its next turn; the agent does not speak because of it. */
  injectContext(text: string): void {
    if (!this.#options.state.isLive) return;
    this.#options.answering.discardSpeculation();
    this.#options.conversation.addNote(null, quoteContext(text));
  }

  injectLateToolResult(name: string, content: string): void {
    this.injectContext(`The tool ${name} has answered late: ${content}`);
  }

  get isWaitingOnLine(): boolean {
    return this.#options.interludes.isWaitingOnLine;
  }

  beginInterlude(interlude: Interlude): void {
    this.#options.interludes.begin(interlude);
  }

  wake(): void {
    this.#options.interludes.wake();
  }

  /** `gone` means that the caller has not answered any of the prompts. */
  onIdle(gone: boolean): void {
    const { state, floor, answering, interludes, listening, end } = this.#options;
    if (floor.turn !== null || state.hasEnded) return;
    if (state.isMuted) {
      listening.startIdleTimer();
      return;
    }
    if (interludes.isActive && interludes.onSilence()) return;
    if (gone) {
      end('caller_idle');
      return;
    }
    const words = phraseOf(answering.settings, 'stillThere');
    if (words === null) listening.startIdleTimer();
    else answering.speakFixed([words], { yields: true });
  }

  endWithFarewell(reason: EndReason): void {
    const { state, floor, answering, end } = this.#options;
    if (!state.isLive) return;
    const words = phraseOf(answering.settings, 'farewell');
    answering.discardSpeculation();
    floor.release();
    floor.speechQueue.clear();
    if (words === null) {
      end(reason);
      return;
    }
    state.planEnd(Promise.resolve(reason));
    answering.speakFixed([words], { yields: false });
  }
}
