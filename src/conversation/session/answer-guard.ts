import type { AnswerVoice, BrainLanguage } from '../brains/index.ts';
import type { TurnDegradation } from './agent-turn.ts';
import type { TurnWords } from './turn-words.ts';

export interface GuardRuling {
  readonly kind: 'flagged' | 'blocked' | 'handed_over';
  readonly rule: string;
  readonly instead: string;
}

export interface CallGuard {
  /** Checks a piece of an answer by its wording before synthesis, without waiting. `before` has the answer so far. */
  spoken(before: string, piece: string, language: BrainLanguage): GuardRuling | null;
  /**
   * Checks the meaning of a piece; absent where no rule needs that. The turn waits for the check only where its
   * ruling would stop the piece.
   */
  readonly meant?: {
    readonly stops: boolean;
    ask(piece: string, language: BrainLanguage): Promise<GuardRuling | null>;
  };
  /** Checks the caller's words while the knowledge search runs; absent where no rule needs that. */
  heard?(text: string, language: BrainLanguage): Promise<GuardRuling | null>;
}

const degradationOf = (step: 'answer' | 'caller', { kind, rule }: GuardRuling): TurnDegradation => ({
  step,
  reason: `trace_${kind}`,
  rule,
});

const answerDegradationOf = (words: string, ruling: GuardRuling): TurnDegradation => ({
  ...degradationOf('answer', ruling),
  ...(ruling.kind === 'flagged' ? {} : { withheld: words }),
});

export interface AnswerGuardOptions {
  readonly guard: CallGuard | undefined;
  readonly words: TurnWords;
  readonly degradations: TurnDegradation[];
  readonly language: BrainLanguage;
  readonly signal: AbortSignal;
}

/** Passes the pieces of one answer to the voice until a rule refuses one; the rest is not spoken. */
export class AnswerGuard {
  refused: GuardRuling | null = null;
  /** The model's own voice says what is not refused. */
  voice: AnswerVoice | null = null;
  readonly #options: AnswerGuardOptions;
  #said = '';

  constructor(options: AnswerGuardOptions) {
    this.#options = options;
  }

  answer(piece: string): Promise<void> | undefined {
    if (this.refused !== null) return undefined;
    const { guard, language, degradations } = this.#options;
    const ruling = guard?.spoken(this.#said, piece, language) ?? null;
    this.#said = this.#said === '' ? piece : `${this.#said} ${piece}`;
    const meant = ruling === null ? guard?.meant : undefined;
    if (meant?.stops) return meant.ask(piece, language).then((one) => this.#give(piece, one));
    void meant?.ask(piece, language).then((one) => one && degradations.push(degradationOf('answer', one)));
    this.#give(piece, ruling);
    return undefined;
  }

  #give(piece: string, ruling: GuardRuling | null): void {
    const { words, degradations, signal } = this.#options;
    if (signal.aborted) return;
    if (ruling !== null) degradations.push(answerDegradationOf(piece, ruling));
    if (ruling === null || ruling.kind === 'flagged') {
      words.answer(piece, this.voice);
      return;
    }
    this.refused = ruling;
    words.answer(ruling.instead);
  }
}

/**
 * Speaks fixed lines: greetings, and lines of the customer's server. Returns the ruling that refused one, or null
 * where all were spoken.
 */
export function speakGuarded(
  lines: readonly string[],
  { guard, words, degradations, language }: Omit<AnswerGuardOptions, 'signal'>,
): GuardRuling | null {
  for (const line of lines) {
    const ruling = guard?.spoken('', line, language) ?? null;
    if (ruling !== null) degradations.push(answerDegradationOf(line, ruling));
    const refused = ruling !== null && ruling.kind !== 'flagged';
    words.say(refused ? ruling.instead : line);
    if (refused) return ruling;
  }
  return null;
}

/**
 * Returns true where the caller's words transfer the call, and begins to speak the line for it. Otherwise it
 * records the ruling where there is something to record.
 */
export function isTransferRuling(
  ruling: GuardRuling | null,
  { words, degradations }: Pick<AnswerGuardOptions, 'words' | 'degradations'>,
): ruling is GuardRuling {
  if (ruling !== null) degradations.push(degradationOf('caller', ruling));
  if (ruling?.kind !== 'handed_over') return false;
  words.answer(ruling.instead);
  return true;
}
