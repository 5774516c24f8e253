import type { Answering } from './answering.ts';
import type { EndReason } from './contract.ts';
import type { Conversation } from './conversation.ts';
import type { Floor } from './floor.ts';
import type { Interlude } from './interlude.ts';
import type { Interludes } from './interludes.ts';
import type { Life } from './life.ts';
import type { Listening } from './listening.ts';
import { phraseOf } from './phrases.ts';
import { quoteContext } from './quoting.ts';
import type { CallerUtterance } from './voice-lane.ts';

export interface BesideOptions {
  readonly life: Life;
  readonly floor: Floor;
  readonly answering: Answering;
  readonly interludes: Interludes;
  readonly conversation: Conversation;
  readonly listening: Listening;
  readonly takeTurn: (utterance: CallerUtterance) => void;
  readonly end: (reason: EndReason) => void;
}

/** What comes to a call beside the caller's own voice: typed turns, what the brain should know, and its last words. */
export class Beside {
  readonly #options: BesideOptions;

  constructor(options: BesideOptions) {
    this.#options = options;
  }

  /** A turn of the caller's that was typed: it silences the agent, as speech does. */
  typed(text: string, atMs: number): void {
    if (!this.#options.life.isLive) return;
    this.#options.answering.discardGuess();
    this.#options.takeTurn({ utterance: -1, text, startMs: atMs, endMs: atMs, atMs, asrMs: 0 });
  }

  /** For the brain from its next turn on; nobody speaks of it by itself. */
  context(text: string): void {
    if (!this.#options.life.isLive) return;
    this.#options.answering.discardGuess();
    this.#options.conversation.note(null, quoteContext(text));
  }

  /** The answer of a tool that came behind its deadline. */
  late(name: string, content: string): void {
    this.context(`The tool ${name} has answered late: ${content}`);
  }

  /** The agent waits in silence for whoever takes the line up again. */
  get waits(): boolean {
    return this.#options.interludes.waits;
  }

  /** The engine leads the talk for a while, from now on. */
  begin(interlude: Interlude): void {
    this.#options.interludes.begin(interlude);
  }

  /** The caller has been silent for long. `gone`: nobody has answered as often as it is asked. */
  idle(gone: boolean): void {
    const { life, floor, answering, interludes, listening, end } = this.#options;
    if (floor.turn !== null || life.hasEnded) return;
    if (interludes.active) {
      interludes.silence();
      return;
    }
    if (gone) {
      end('caller_idle');
      return;
    }
    const words = phraseOf(answering.settings, 'stillThere');
    if (words === null) listening.wait();
    else answering.sayFixed([words], { yields: true });
  }

  /** The call ends behind the farewell of its profile. */
  leave(reason: EndReason): void {
    const { life, floor, answering, end } = this.#options;
    if (!life.isLive) return;
    const words = phraseOf(answering.settings, 'farewell');
    answering.discardGuess();
    floor.leave();
    floor.sayings.clear();
    if (words === null) {
      end(reason);
      return;
    }
    life.takeLeave(Promise.resolve(reason));
    answering.sayFixed([words], { yields: false });
  }
}
