import type { Clock } from '../../foundation/platform/clock.ts';
import type { AgentTurn } from './agent-turn.ts';
import type { SessionOutput } from './contract.ts';
import {
  DEFAULT_ESCALATION_TIMEOUTS,
  type EscalationStep,
  type EscalationTimeouts,
  EscalationTimer,
} from './escalation-timer.ts';

export interface ResponseWatchdogOptions {
  readonly clock: Clock;
  readonly times?: EscalationTimeouts | undefined;
  readonly turn: () => AgentTurn | null;
  readonly thinking: () => string | null;
  readonly output: SessionOutput;
  readonly callerSpeaks: () => boolean;
  readonly onNoAudio: () => void;
}

/** A pause of this length within an answer starts the escalation. */
const SILENT_MS = 300;

export class ResponseWatchdog {
  readonly #options: ResponseWatchdogOptions;
  readonly #times: EscalationTimeouts;
  readonly #escalation: EscalationTimer;
  #soundedAt = Number.NEGATIVE_INFINITY;
  #restIsLate = false;
  #stopListening: () => void = () => undefined;

  constructor(options: ResponseWatchdogOptions) {
    this.#options = options;
    this.#times = options.times ?? DEFAULT_ESCALATION_TIMEOUTS;
    this.#escalation = new EscalationTimer(options.clock, (step) => this.#onStep(step), this.#times);
  }

  start = (): void => {
    this.stop();
    this.#escalation.start();
  };
  awaitVoice = (): void => {
    this.stop();
    this.#escalation.awaitVoice();
  };
  stop = (): void => {
    this.#stopListening();
    this.#restIsLate = false;
    this.#escalation.stop();
  };

  awaitContinuation(segment: number): void {
    this.stop();
    this.onAudio();
    this.#listenFor(segment, SILENT_MS);
  }

  #listenFor(segment: number, ms: number): void {
    this.#stopListening = this.#options.clock.after(ms, () => {
      const turn = this.#options.turn();
      if (turn === null || turn.tools.running) return;
      if (turn.done) {
        this.#escalation.awaitVoice();
        return;
      }
      const silent = this.#options.clock.monotonic() - this.#soundedAt;
      const voiceIsLate = turn.words.texts.size - 1 > segment;
      if (silent < SILENT_MS || voiceIsLate) {
        this.#listenFor(segment, voiceIsLate ? SILENT_MS : SILENT_MS - silent);
        return;
      }
      this.#restIsLate = true;
      this.#escalation.start();
    });
  }

  onAudio(): void {
    this.#soundedAt = this.#options.clock.monotonic();
  }

  #onStep(step: EscalationStep): void {
    const { turn: current, thinking, output } = this.#options;
    const turn = current();
    if (turn === null) return;
    if (step === 'end') {
      this.#endIfMute(turn);
    } else if (turn.words.hasAnswer && !this.#restIsLate) {
      if (step === 'filler') output.degraded(turn.id, 'voice', 'speech_slow');
    } else if (step === 'apology') {
      turn.giveUp('brain_timeout');
    } else if (step === 'filler') {
      const words = thinking();
      if (words === null) return;
      output.degraded(turn.id, 'filler', 'brain_slow');
      turn.filler(words);
    } else if (turn.retry()) {
      output.degraded(turn.id, 'retry', 'brain_slow');
    }
  }

  #endIfMute(turn: AgentTurn): void {
    const waits = turn.words.yields && this.#options.callerSpeaks();
    if (waits || this.#options.clock.monotonic() - this.#soundedAt < this.#times.end) {
      this.#escalation.awaitVoice();
      return;
    }
    this.#options.output.degraded(turn.id, 'end', 'speech_slow');
    this.#options.onNoAudio();
  }
}
