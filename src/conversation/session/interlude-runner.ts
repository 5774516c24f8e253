import { isDeepStrictEqual } from 'node:util';
import { KEYPAD } from '../brains/index.ts';
import type { AgentTurn } from './agent-turn.ts';
import type { CallerInput } from './caller-input.ts';
import type { EndReason } from './contract.ts';
import type { ConversationHistory } from './conversation-history.ts';
import type { Floor } from './floor.ts';
import type { Interlude, InterludeInput, InterludeStep } from './interlude.ts';
import { phraseOf } from './phrases.ts';
import type { ResponseController } from './response-controller.ts';
import type { SessionState } from './session-state.ts';
import type { TurnNumbers } from './turn-numbers.ts';
import type { CallerUtterance, ExpectedAnswer, VoiceLane } from './voice-lane.ts';

export interface InterludeRunnerOptions {
  readonly lane: Pick<VoiceLane, 'setExpectedAnswer'>;
  readonly state: SessionState;
  readonly floor: Floor;
  readonly numbers: TurnNumbers;
  readonly responses: ResponseController;
  readonly listening: CallerInput;
  readonly conversation: ConversationHistory;
  readonly end: (reason: EndReason) => void;
}

type State =
  | { readonly kind: 'none' }
  | { readonly kind: 'listens'; readonly interlude: Interlude }
  | { readonly kind: 'waits'; readonly interlude: Interlude }
  | { readonly kind: 'works'; readonly interlude: Interlude }
  | {
      readonly kind: 'says' | 'answers';
      readonly interlude: Interlude;
      readonly turn: AgentTurn;
      readonly next: (whole: boolean) => InterludeStep | undefined;
    };

const GO_ON = '(Go on.)';

export class InterludeRunner {
  readonly #options: InterludeRunnerOptions;
  #state: State = { kind: 'none' };
  #expected: ExpectedAnswer | null = null;
  /** The question that the caller has to answer. */
  #asked: string | null = null;
  /** The steps that a muted agent takes when it is unmuted. */
  #postponed: { readonly interlude: Interlude; readonly step: InterludeStep }[] = [];
  #heard: { readonly utterance: CallerUtterance; readonly turnId: number } | null = null;

  constructor(options: InterludeRunnerOptions) {
    this.#options = options;
  }

  get isActive(): boolean {
    return this.#state.kind !== 'none';
  }

  get isWaitingOnLine(): boolean {
    return this.#state.kind === 'waits';
  }

  /** Begins at once; the running turn is interrupted. */
  begin(interlude: Interlude): void {
    const state = this.#state;
    if (!this.#options.state.isLive) {
      interlude.dropped?.();
      return;
    }
    this.#options.responses.discardSpeculation();
    if (state.kind !== 'none' && state.interlude.nest !== undefined) {
      const { interlude: outer } = state;
      this.#options.floor.release();
      this.#continue(outer, () => outer.nest?.(interlude));
      return;
    }
    this.drop();
    this.#options.floor.release();
    this.#state = { kind: 'listens', interlude };
    this.#continue(interlude, () => interlude.begin());
  }

  /** The host controls the whole call and begins after the running turn. */
  host(interlude: Interlude): void {
    const { turn } = this.#options.floor;
    if (turn === null) {
      this.#state = { kind: 'listens', interlude };
      this.#follow(interlude, interlude.begin());
    } else {
      this.#state = { kind: 'says', interlude, turn, next: () => interlude.begin() };
    }
  }

  /** The agent takes the steps that came meanwhile. Where none makes it speak, it asks its open question again. */
  unmuted(): void {
    const { state, floor, responses } = this.#options;
    const before = this.#state;
    // Words that were dropped before any of them was played are not reported as interrupted.
    if (before.kind === 'says' || before.kind === 'answers') this.settled(before.turn, false, true);
    for (const { interlude, step } of this.#postponed.splice(0)) this.#follow(interlude, step);
    if (!state.isLive || this.#state.kind !== 'listens' || floor.turn !== null) return;
    const words = this.#asked ?? phraseOf(responses.settings, 'stillThere');
    if (words !== null) responses.speakFixed([words], { yields: true });
  }

  drop(): void {
    const state = this.#state;
    this.#postponed = [];
    this.#asked = null;
    this.#state = { kind: 'none' };
    this.#expect(null);
    if (state.kind !== 'none') state.interlude.dropped?.();
  }

  /** Returns false where the interlude was over with the words that the caller interrupted: the brain answers then. */
  onCallerInput(utterance: CallerUtterance, turnId: number): boolean {
    this.#interrupted();
    if (!this.#options.state.isLive) return true;
    this.#heard = { utterance, turnId };
    const isTaken = this.#take(inputOf(utterance));
    if (this.#heard !== null && isTaken) this.#options.responses.discardSpeculation();
    this.#heard = null;
    return isTaken;
  }

  languageChanged(language: string): void {
    if (this.#state.kind !== 'none') this.#state.interlude.languageChanged?.(language);
  }

  guess(utterance: CallerUtterance): void {
    const state = this.#state;
    if (state.kind === 'none' || state.kind === 'works') return;
    const terms = state.interlude.guess?.(utterance.text) ?? null;
    if (terms !== null) this.#options.responses.speculate(utterance, terms);
  }

  /** While a turn is running, or the agent is muted, the wake-up waits for the next one. */
  wake(): void {
    const { floor, listening } = this.#options;
    const state = this.#state;
    if (this.#options.state.isMuted || (state.kind !== 'listens' && state.kind !== 'waits')) return;
    if (floor.turn !== null || listening.isBusy) return;
    this.#follow(state.interlude, state.interlude.woken?.());
  }

  /** Returns false where the session should ask whether the caller is still there. */
  onSilence = (): boolean => this.#take({ kind: 'silence' });

  /** The caller spoke, but recognition failed. Returns false where the session should apologize for that. */
  onLost(): boolean {
    const state = this.#state;
    if (state.kind === 'none' || (state.interlude.nest !== undefined && state.interlude.asks !== true))
      return false;
    this.#interrupted();
    return this.onSilence();
  }

  /** Returns true where the interlude continues after the turn. */
  settled(turn: AgentTurn, whole: boolean, interrupted: boolean): boolean {
    const state = this.#state;
    if ((state.kind !== 'says' && state.kind !== 'answers') || state.turn !== turn) return false;
    const { interlude } = state;
    const { effect } = turn.tools;
    this.#state = { kind: 'listens', interlude };
    if (interrupted) {
      // The client may have stopped the answer, so that the caller says nothing: the idle timer runs.
      this.#continue(interlude, () => (state.kind === 'says' ? state.next(false) : { kind: 'listen' }));
      return true;
    }
    if (effect?.kind === 'step') this.#continue(interlude, effect.step);
    else if (effect?.kind === 'interlude')
      this.#continue(interlude, () => interlude.nest?.(effect.interlude));
    else this.#continue(interlude, () => state.next(whole));
    return true;
  }

  #interrupted(): void {
    const state = this.#state;
    if (state.kind !== 'says' && state.kind !== 'answers') return;
    this.#state = { kind: 'listens', interlude: state.interlude };
    if (state.kind === 'says') this.#follow(state.interlude, state.next(false));
    // A farewell that began just now is the last that the caller hears.
    if (this.#options.state.isLive) this.#options.floor.release();
  }

  #take(input: InterludeInput): boolean {
    const state = this.#state;
    if (state.kind === 'none') return false;
    if (state.kind === 'works') return true;
    const step = state.interlude.take(input);
    if (step.kind === 'listen' && input.kind === 'silence') return false;
    this.#follow(state.interlude, step);
    return input.kind !== 'silence' || !this.#isIdle;
  }

  /** Nothing of the interlude or of the agent follows by itself. */
  get #isIdle(): boolean {
    const { state, floor } = this.#options;
    const { kind } = this.#state;
    return state.isLive && kind !== 'waits' && kind !== 'works' && floor.turn === null;
  }

  #continue(interlude: Interlude, step: () => InterludeStep | undefined): void {
    this.#follow(interlude, { kind: 'continue', step });
  }

  #follow(interlude: Interlude, step: InterludeStep | undefined): void {
    const { state, responses: answering, listening, end } = this.#options;
    if (!state.isLive || step === undefined) return;
    if (state.isMuted) {
      this.#state = { kind: 'listens', interlude };
      this.#postponed.push({ interlude, step });
      return;
    }
    if (step.kind === 'continue') {
      this.#follow(interlude, step.step());
      return;
    }
    this.#expect(step.kind === 'ask' ? (interlude.expected?.() ?? null) : null);
    if (step.kind !== 'listen') this.#asked = step.kind === 'ask' ? step.say : null;
    switch (step.kind) {
      case 'ask':
        this.#state = { kind: 'listens', interlude };
        answering.speakFixed([step.say], { yields: true });
        return;
      case 'wait':
        this.#state = { kind: 'waits', interlude };
        listening.startIdleTimer();
        return;
      case 'listen':
        this.#state = { kind: 'listens', interlude };
        if (this.#options.floor.turn === null && !listening.isBusy) listening.startIdleTimer();
        return;
      case 'work':
        this.#state = { kind: 'works', interlude };
        if (step.say !== null) answering.speakFixed([step.say], { yields: true });
        void step.done.then((next) => {
          if (this.#state.kind === 'works' && this.#state.interlude === interlude)
            this.#follow(interlude, next);
        });
        return;
      case 'say':
        this.#speaks(interlude, 'says', () => answering.speakFixed([step.say], { yields: true }));
        return;
      case 'answer':
        this.#speaks(interlude, 'answers', () => this.#answer(step));
        return;
      case 'leave':
        this.#state = { kind: 'works', interlude };
        state.planEnd(Promise.resolve(step.as));
        if (step.say === null) end(step.as);
        else answering.speakFixed([step.say], { yields: false });
        return;
      case 'done':
        this.#state = { kind: 'none' };
        if (step.host === undefined) this.#notify(step.message);
        else this.host(step.host);
    }
  }

  /** A turn without words may end before this state is set. */
  #speaks(interlude: Interlude, kind: 'says' | 'answers', speak: () => AgentTurn): void {
    const { floor } = this.#options;
    // Drops a filler that plays or waits, because the tool was faster.
    if (floor.turn !== null) floor.release();
    const turn = speak();
    const next = (whole: boolean) => (kind === 'says' ? interlude.spoken?.(whole) : interlude.answered?.());
    this.#state = { kind, interlude, turn, next };
    if (floor.turn !== turn) this.settled(turn, false, false);
  }

  #answer({ terms, message }: Extract<InterludeStep, { kind: 'answer' }>): AgentTurn {
    const { responses: answering, conversation, numbers } = this.#options;
    const heard = this.#heard;
    this.#heard = null;
    if (heard !== null && message === undefined)
      return answering.answer(heard.utterance, heard.turnId, terms);
    const turnId = numbers.finishCallerTurn();
    if (message !== undefined) conversation.addNote(turnId, message);
    return answering.answerQuestion({ turnId, text: message ?? GO_ON, query: '' }, terms);
  }

  #expect(answer: ExpectedAnswer | null): void {
    if (isDeepStrictEqual(answer, this.#expected)) return;
    this.#expected = answer;
    this.#options.lane.setExpectedAnswer?.(answer);
  }

  #notify(message: string | null): void {
    const { floor, numbers, responses: answering, conversation, listening } = this.#options;
    if (message === null) {
      if (floor.turn === null) listening.startIdleTimer();
      return;
    }
    floor.release();
    const turnId = numbers.finishCallerTurn();
    conversation.addNote(turnId, message);
    answering.answerQuestion({ turnId, text: message, query: '' });
  }
}

function inputOf({ text }: Pick<CallerUtterance, 'text'>): InterludeInput {
  if (!text.startsWith(KEYPAD)) return { kind: 'said', text };
  const [keys = '', ...words] = text.slice(KEYPAD.length).split(' ');
  if (words.join('').trim() === '') return { kind: 'keys', keys };
  return { kind: 'said', text: `${keys} ${words.join(' ')}` };
}
