import type { LaneEvent } from '../session/index.ts';
import type { LanguageDecision } from './caller-language.ts';

type Final = Extract<LaneEvent, { kind: 'final' }>;

const PASSES: ReadonlySet<LaneEvent['kind']> = new Set([
  'audio',
  'playing',
  'speech_played',
  'speech_interrupted',
  'speech_failed',
  'engine_failed',
]);

/**
 * An utterance that changes the call's language reaches the session only after the change is applied, so that it is
 * answered in that language. Later events wait behind it.
 */
export class LanguageFilter {
  readonly #decide: (utterance: Final) => LanguageDecision | null;
  readonly #change: (decision: LanguageDecision) => Promise<unknown>;
  readonly #notify: (event: LaneEvent) => void;
  readonly #waiting: LaneEvent[] = [];
  #changing = false;

  constructor(
    decide: (utterance: Final) => LanguageDecision | null,
    change: (decision: LanguageDecision) => Promise<unknown>,
    notify: (event: LaneEvent) => void,
  ) {
    this.#decide = decide;
    this.#change = change;
    this.#notify = notify;
  }

  take(event: LaneEvent): void {
    if (this.#changing && !PASSES.has(event.kind)) this.#waiting.push(event);
    else if (event.kind === 'final') this.#final(event);
    else this.#notify(event);
  }

  #final(utterance: Final): void {
    const decision = this.#decide(utterance);
    if (decision === null) {
      this.#notify(utterance);
      return;
    }
    // A speculative answer is in the previous language and is discarded.
    this.#notify({ kind: 'continued', utterance: utterance.utterance });
    this.#changing = true;
    const settled = () => {
      this.#changing = false;
      this.#notify(utterance);
      for (const waiting of this.#waiting.splice(0)) this.take(waiting);
    };
    this.#change(decision).then(settled, settled);
  }
}
