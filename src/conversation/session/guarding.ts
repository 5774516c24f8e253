import type { BrainLanguage } from '../brains/index.ts';
import type { Trouble } from './agent-turn.ts';
import type { TurnWords } from './turn-words.ts';

/** What follows of words that break a rule. */
export interface Ruling {
  readonly kind: 'flagged' | 'blocked' | 'handed_over';
  /** Which: its pack, version and name. */
  readonly rule: string;
  /** What is spoken in its place. */
  readonly instead: string;
}

/** Looks at the words of a call while it goes on. Null: nothing speaks against them. */
export interface CallGuard {
  /** At a piece of an answer before the voice has it, by its letters; `before`: what the answer said so far. Nothing is waited for. */
  spoken(before: string, piece: string, language: BrainLanguage): Ruling | null;
  /** At what the piece means. Absent: no rule asks. It is waited for where the ruling would stop the piece, and only then. */
  readonly meant?: {
    readonly stops: boolean;
    ask(piece: string, language: BrainLanguage): Promise<Ruling | null>;
  };
  /** At what the caller has said, beside the search for knowledge. Absent: no rule asks. */
  heard?(text: string, language: BrainLanguage): Promise<Ruling | null>;
}

const troubleOf = (step: 'answer' | 'caller', { kind, rule }: Ruling): Trouble => ({
  step,
  reason: `trace_${kind}`,
  rule,
});

/** What is noted of words of the agent: those that nobody hears are kept with it. */
const troubleOfAnswer = (words: string, ruling: Ruling): Trouble => ({
  ...troubleOf('answer', ruling),
  ...(ruling.kind === 'flagged' ? {} : { withheld: words }),
});

export interface GuardingOptions {
  readonly guard: CallGuard | undefined;
  readonly words: TurnWords;
  readonly troubles: Trouble[];
  readonly language: BrainLanguage;
  /** Aborted when nothing more of the answer is wanted. */
  readonly life: AbortSignal;
}

/** The pieces of one answer on their way to the voice. From the first that is refused on nothing of it is spoken. */
export class Guarding {
  /** What refused the rest of the answer. */
  refused: Ruling | null = null;
  readonly #options: GuardingOptions;
  #said = '';

  constructor(options: GuardingOptions) {
    this.#options = options;
  }

  /** A promise where the piece is not spoken before it is known what it means. */
  answer(piece: string): Promise<void> | undefined {
    if (this.refused !== null) return undefined;
    const { guard, language, troubles } = this.#options;
    const ruling = guard?.spoken(this.#said, piece, language) ?? null;
    this.#said = this.#said === '' ? piece : `${this.#said} ${piece}`;
    const meant = ruling === null ? guard?.meant : undefined;
    if (meant?.stops) return meant.ask(piece, language).then((one) => this.#give(piece, one));
    void meant?.ask(piece, language).then((one) => one && troubles.push(troubleOf('answer', one)));
    this.#give(piece, ruling);
    return undefined;
  }

  #give(piece: string, ruling: Ruling | null): void {
    const { words, troubles, life } = this.#options;
    if (life.aborted) return;
    if (ruling !== null) troubles.push(troubleOfAnswer(piece, ruling));
    if (ruling === null || ruling.kind === 'flagged') {
      words.answer(piece);
      return;
    }
    this.refused = ruling;
    words.answer(ruling.instead);
  }
}

/** Says lines that stand fixed: greetings, and what the customer's own server wants said. What refused them; null: all were said. */
export function sayGuarded(
  lines: readonly string[],
  { guard, words, troubles, language }: Omit<GuardingOptions, 'life'>,
): Ruling | null {
  for (const line of lines) {
    const ruling = guard?.spoken('', line, language) ?? null;
    if (ruling !== null) troubles.push(troubleOfAnswer(line, ruling));
    const refused = ruling !== null && ruling.kind !== 'flagged';
    words.say(refused ? ruling.instead : line);
    if (refused) return ruling;
  }
  return null;
}

/** What the caller said hands the call over: true, with the words that say so on their way. Else it is noted, if there is something to note. */
export function handsOver(
  ruling: Ruling | null,
  { words, troubles }: Pick<GuardingOptions, 'words' | 'troubles'>,
): ruling is Ruling {
  if (ruling !== null) troubles.push(troubleOf('caller', ruling));
  if (ruling?.kind !== 'handed_over') return false;
  words.answer(ruling.instead);
  return true;
}
