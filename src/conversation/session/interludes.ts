import { KEYPAD } from '../brains/index.ts';
import type { Answering } from './answering.ts';
import type { Conversation } from './conversation.ts';
import type { Floor } from './floor.ts';
import type { Interlude, InterludeInput, InterludeStep } from './interlude.ts';
import type { Life } from './life.ts';
import type { Listening } from './listening.ts';
import type { TurnNumbers } from './turn-numbers.ts';
import type { CallerUtterance, VoiceLane } from './voice-lane.ts';

export interface InterludesOptions {
  readonly lane: Pick<VoiceLane, 'expect'>;
  readonly life: Life;
  readonly floor: Floor;
  readonly numbers: TurnNumbers;
  readonly answering: Answering;
  readonly listening: Listening;
  readonly conversation: Conversation;
}

type State =
  | { readonly kind: 'none' }
  | { readonly kind: 'listens'; readonly interlude: Interlude }
  | { readonly kind: 'waits'; readonly interlude: Interlude }
  | { readonly kind: 'works'; readonly interlude: Interlude };

/** The interlude that has the talk, if any. */
export class Interludes {
  readonly #options: InterludesOptions;
  #state: State = { kind: 'none' };
  #expected: string | null = null;

  constructor(options: InterludesOptions) {
    this.#options = options;
  }

  /** What the caller says is not the brain's. */
  get active(): boolean {
    return this.#state.kind !== 'none';
  }

  /** It has asked for nothing, and waits. */
  get waits(): boolean {
    return this.#state.kind === 'waits';
  }

  /** Now: what is being said is left. */
  begin(interlude: Interlude): void {
    if (!this.#options.life.isLive) {
      interlude.dropped?.();
      return;
    }
    this.drop();
    this.#options.answering.discardGuess();
    this.#options.floor.leave();
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
  hear({ text }: Pick<CallerUtterance, 'text'>): void {
    if (!text.startsWith(KEYPAD)) {
      this.#take({ kind: 'said', text });
      return;
    }
    const [keys = '', ...words] = text.slice(KEYPAD.length).split(' ');
    if (words.join('').trim() === '') this.#take({ kind: 'keys', keys });
    else this.#take({ kind: 'said', text: `${keys} ${words.join(' ')}` });
  }

  /** The caller said nothing, or nobody knows what. */
  silence = (): void => this.#take({ kind: 'silence' });

  #take(input: InterludeInput): void {
    if (this.#state.kind !== 'listens' && this.#state.kind !== 'waits') return;
    const { interlude } = this.#state;
    this.#follow(interlude, interlude.take(input));
  }

  #follow(interlude: Interlude, step: InterludeStep): void {
    const { life, answering, listening } = this.#options;
    if (!life.isLive) return;
    this.#expect(step.kind === 'ask' ? (interlude.expected?.() ?? null) : null);
    switch (step.kind) {
      case 'ask':
        this.#state = { kind: 'listens', interlude };
        answering.sayFixed([step.say], { yields: true });
        return;
      case 'wait':
        this.#state = { kind: 'waits', interlude };
        listening.wait();
        return;
      case 'work':
        this.#state = { kind: 'works', interlude };
        if (step.say !== null) answering.sayFixed([step.say], { yields: true });
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
    this.#options.lane.expect?.(answer);
  }

  #tell(told: string | null): void {
    const { floor, numbers, answering, conversation, listening } = this.#options;
    if (told === null) {
      if (floor.turn === null) listening.wait();
      return;
    }
    floor.leave();
    const turnId = numbers.callerIsDone();
    conversation.note(turnId, told);
    answering.answerTo({ turnId, text: told, query: '' });
  }
}
