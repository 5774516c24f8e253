import type { BrainLanguage } from '../brain/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { AgentTurn } from './agent-turn.ts';
import type { SessionOutput } from './contract.ts';
import { LADDER, Ladder, type LadderTimes, type Rung } from './ladder.ts';
import { SESSION_PHRASES } from './phrases.ts';

export interface PatienceOptions {
  readonly clock: Clock;
  readonly times?: LadderTimes | undefined;
  /** The turn that is being waited for. */
  readonly turn: () => AgentTurn | null;
  readonly language: () => BrainLanguage;
  readonly output: SessionOutput;
  readonly callerSpeaks: () => boolean;
  /** Nothing was heard for too long: the line is dead. */
  readonly mute: () => void;
}

/** What becomes of a turn whose answer, or whose voice, is late. */
export class Patience {
  readonly #options: PatienceOptions;
  readonly #times: LadderTimes;
  readonly #ladder: Ladder;
  #soundedAt = Number.NEGATIVE_INFINITY;

  constructor(options: PatienceOptions) {
    this.#options = options;
    this.#times = options.times ?? LADDER;
    this.#ladder = new Ladder(options.clock, (rung) => this.#climb(rung), this.#times);
  }

  /** The brain is asked. */
  start = (): void => this.#ladder.start();
  /** The words are there: only the voice can be late now. */
  awaitVoice = (): void => this.#ladder.awaitVoice();
  stop = (): void => this.#ladder.stop();

  /** The caller hears something. */
  sounded(): void {
    this.#soundedAt = this.#options.clock.monotonic();
  }

  #climb(rung: Rung): void {
    const { turn: current, language, output } = this.#options;
    const turn = current();
    if (turn === null) return;
    if (rung === 'end') {
      this.#endIfMute(turn);
    } else if (turn.answered) {
      // The words are there, and the voice is not.
      if (rung === 'filler') output.degraded(turn.id, 'voice', 'speech_slow');
    } else if (rung === 'apology') {
      turn.giveUp('brain_timeout');
    } else if (rung === 'filler') {
      output.degraded(turn.id, 'filler', 'brain_slow');
      turn.filler(SESSION_PHRASES[language()].filler);
    } else if (turn.retry()) {
      output.degraded(turn.id, 'retry', 'brain_slow');
    }
  }

  #endIfMute(turn: AgentTurn): void {
    const waits = turn.yields && this.#options.callerSpeaks();
    if (waits || this.#options.clock.monotonic() - this.#soundedAt < this.#times.end) {
      this.#ladder.awaitVoice();
      return;
    }
    this.#options.output.degraded(turn.id, 'end', 'speech_slow');
    this.#options.mute();
  }
}
