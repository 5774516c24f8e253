import type { LaneEvent } from '../session/index.ts';
import type { LanguageDecision } from './caller-language.ts';

type Final = Extract<LaneEvent, { kind: 'final' }>;

/** These events are about the agent's speech and never wait. */
const PASSES: ReadonlySet<LaneEvent['kind']> = new Set([
  'audio',
  'playing',
  'speech_played',
  'cut',
  'speech_failed',
  'engine_failed',
]);

/**
 * The filter stands between a lane and its session: an utterance that changes the language of the call reaches the
 * session once the change is applied, so that it is answered in that language. What follows waits behind it.
 */
export class LanguageFilter {
  readonly #decide: (utterance: Final) => LanguageDecision | null;
  readonly #change: (decision: LanguageDecision) => Promise<unknown>;
  readonly #tell: (event: LaneEvent) => void;
  readonly #waiting: LaneEvent[] = [];
  #changing = false;

  constructor(
    decide: (utterance: Final) => LanguageDecision | null,
    change: (decision: LanguageDecision) => Promise<unknown>,
    tell: (event: LaneEvent) => void,
  ) {
    this.#decide = decide;
    this.#change = change;
    this.#tell = tell;
  }

  take(event: LaneEvent): void {
    if (this.#changing && !PASSES.has(event.kind)) this.#waiting.push(event);
    else if (event.kind === 'final') this.#final(event);
    else this.#tell(event);
  }

  #final(utterance: Final): void {
    const decision = this.#decide(utterance);
    if (decision === null) {
      this.#tell(utterance);
      return;
    }
    // An answer that was begun on a guess is in the language before.
    this.#tell({ kind: 'continued', utterance: utterance.utterance });
    this.#changing = true;
    const settled = () => {
      this.#changing = false;
      this.#tell(utterance);
      for (const waiting of this.#waiting.splice(0)) this.take(waiting);
    };
    this.#change(decision).then(settled, settled);
  }
}
