import { KEYPAD } from '../brains/index.ts';
import type { CallerInput } from './caller-input.ts';
import type { ConversationHistory } from './conversation-history.ts';
import type { Floor } from './floor.ts';
import type { Interlude, InterludeInput, InterludeStep } from './interlude.ts';
import type { ResponseController } from './response-controller.ts';
import type { SessionState } from './session-state.ts';
import type { TurnNumbers } from './turn-numbers.ts';
import type { CallerUtterance, VoiceLane } from './voice-lane.ts';

export interface InterludeRunnerOptions {
  readonly lane: Pick<VoiceLane, 'setExpectedAnswer'>;
  readonly life: SessionState;
  readonly floor: Floor;
  readonly numbers: TurnNumbers;
  readonly responses: ResponseController;
  readonly listening: CallerInput;
  readonly conversation: ConversationHistory;
}

type State =
  | { readonly kind: 'none' }
  | { readonly kind: 'listens'; readonly interlude: Interlude }
  | { readonly kind: 'waits'; readonly interlude: Interlude }
  | { readonly kind: 'works'; readonly interlude: Interlude };

/** The interlude that has the talk, if any. */
export class InterludeRunner {
  readonly #options: InterludeRunnerOptions;
  #state: State = { kind: 'none' };
  #expected: string | null = null;

  constructor(options: InterludeRunnerOptions) {
    this.#options = options;
  }

  /** What the caller says is not the brain's. */
  get isActive(): boolean {
    return this.#state.kind !== 'none';
  }

  /** It has asked for nothing, and waits. */
  get isWaitingOnLine(): boolean {
    return this.#state.kind === 'waits';
  }

  /** Now: what is being said is left. */
  begin(interlude: Interlude): void {
    if (!this.#options.life.isLive) {
      interlude.dropped?.();
      return;
    }
    this.drop();
    this.#options.responses.discardSpeculation();
    this.#options.floor.release();
    this.#state = { kind: 'listens', interlude };
    this.#follow(interlude, interlude.begin());
  }

  drop(): void {
    const state = this.#state;
    this.#state = { kind: 'none' };
    this.#expect(null);
    if (state.kind !== 'none') state.interlude.dropped?.();
  }

  /** What the caller has said or pressed. */
  onCallerInput({ text }: Pick<CallerUtterance, 'text'>): void {
    if (!text.startsWith(KEYPAD)) {
      this.#take({ kind: 'said', text });
      return;
    }
    const [keys = '', ...words] = text.slice(KEYPAD.length).split(' ');
    if (words.join('').trim() === '') this.#take({ kind: 'keys', keys });
    else this.#take({ kind: 'said', text: `${keys} ${words.join(' ')}` });
  }

  /** The caller said nothing, or nobody knows what. */
  onSilence = (): void => this.#take({ kind: 'silence' });

  #take(input: InterludeInput): void {
    if (this.#state.kind !== 'listens' && this.#state.kind !== 'waits') return;
    const { interlude } = this.#state;
    this.#follow(interlude, interlude.take(input));
  }

  #follow(interlude: Interlude, step: InterludeStep): void {
    const { life, responses: answering, listening } = this.#options;
    if (!life.isLive) return;
    this.#expect(step.kind === 'ask' ? (interlude.expected?.() ?? null) : null);
    switch (step.kind) {
      case 'ask':
        this.#state = { kind: 'listens', interlude };
        answering.speakFixed([step.say], { yields: true });
        return;
      case 'wait':
        this.#state = { kind: 'waits', interlude };
        listening.startIdleTimer();
        return;
      case 'work':
        this.#state = { kind: 'works', interlude };
        if (step.say !== null) answering.speakFixed([step.say], { yields: true });
        void step.done.then((next) => {
          if (this.#state.kind === 'works' && this.#state.interlude === interlude)
            this.#follow(interlude, next);
        });
        return;
      case 'done':
        this.#state = { kind: 'none' };
        this.#tell(step.told);
    }
  }

  #expect(answer: string | null): void {
    if (answer === this.#expected) return;
    this.#expected = answer;
    this.#options.lane.setExpectedAnswer?.(answer);
  }

  #tell(told: string | null): void {
    const { floor, numbers, responses: answering, conversation, listening } = this.#options;
    if (told === null) {
      if (floor.turn === null) listening.startIdleTimer();
      return;
    }
    floor.release();
    const turnId = numbers.finishCallerTurn();
    conversation.addNote(turnId, told);
    answering.answerQuestion({ turnId, text: told, query: '' });
  }
}
