import type { BrainLanguage } from '../brains/index.ts';
import type { TurnDegradation } from './agent-turn.ts';
import type { TurnWords } from './turn-words.ts';

/** The consequence of words that break a rule. */
export interface GuardRuling {
  readonly kind: 'flagged' | 'blocked' | 'handed_over';
  /** Which: its pack, version and name. */
  readonly rule: string;
  /** The agent speaks this instead. */
  readonly instead: string;
}

/** Looks at the words of a call while it goes on. Null: nothing speaks against them. */
export interface CallGuard {
  /** At a piece of an answer before the voice has it, by its letters; `before`: what the answer said so far. Nothing is waited for. */
  spoken(before: string, piece: string, language: BrainLanguage): GuardRuling | null;
  /**
   * A check of the piece's meaning; absent where no rule needs one. The turn waits for it only where the ruling
   * would stop the piece.
   */
  readonly meant?: {
    readonly stops: boolean;
    ask(piece: string, language: BrainLanguage): Promise<GuardRuling | null>;
  };
  /** At what the caller has said, beside the search for knowledge. Absent: no rule asks. */
  heard?(text: string, language: BrainLanguage): Promise<GuardRuling | null>;
}

const degradationOf = (step: 'answer' | 'caller', { kind, rule }: GuardRuling): TurnDegradation => ({
  step,
  reason: `trace_${kind}`,
  rule,
});

/** Records the agent's words that broke a rule, including those that nobody heard. */
const answerDegradationOf = (words: string, ruling: GuardRuling): TurnDegradation => ({
  ...degradationOf('answer', ruling),
  ...(ruling.kind === 'flagged' ? {} : { withheld: words }),
});

export interface AnswerGuardOptions {
  readonly guard: CallGuard | undefined;
  readonly words: TurnWords;
  readonly degradations: TurnDegradation[];
  readonly language: BrainLanguage;
  /** Aborted when nothing more of the answer is wanted. */
  readonly signal: AbortSignal;
}

/** The pieces of one answer on their way to the voice. From the first that is refused on nothing of it is spoken. */
export class AnswerGuard {
  /** The ruling that refused the rest of the answer. */
  refused: GuardRuling | null = null;
  readonly #options: AnswerGuardOptions;
  #said = '';

  constructor(options: AnswerGuardOptions) {
    this.#options = options;
  }

  /** A promise where the piece is not spoken before it is known what it means. */
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
      words.answer(piece);
      return;
    }
    this.refused = ruling;
    words.answer(ruling.instead);
  }
}

/** Says lines that stand fixed: greetings, and what the customer's own server wants said. What refused them; null: all were said. */
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
