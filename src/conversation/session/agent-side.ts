import { AgentTurn, type AgentTurnOptions, type TurnFailure } from './agent-turn.ts';
import type { SessionOptions, SessionSettings } from './contract.ts';
import { Conversation } from './conversation.ts';
import { heardTurn } from './heard.ts';
import { phraseOf } from './phrases.ts';
import type { PlayedSegment } from './voice-lane.ts';

/** What is asked; `query`: what knowledge is looked for with, where it is not the text. */
export interface Question {
  readonly turnId: number;
  readonly text: string;
  readonly query?: string;
}

export interface TurnKind {
  /** What it answers; null: nobody has asked. */
  readonly question?: Question | null;
  /** Only guessed to be asked for. */
  readonly held?: boolean;
  readonly yields?: boolean;
}

/** What a turn tells while it is at work. */
export interface TurnHooks {
  /** Resolves when it is known what was heard of the turn before. */
  before(): Promise<void>;
  onToolsRunning(): void;
  onWaiting(): void;
  onDone(turn: AgentTurn, failure: TurnFailure | null): void;
}

function requestOf(
  settings: SessionSettings,
  { owner, call }: Pick<SessionOptions, 'owner' | 'call'>,
): AgentTurnOptions['request'] {
  const { language, persona, seed, temperature, grounding, timeZone, brain } = settings;
  return {
    language,
    persona,
    ...(owner === undefined ? {} : { owner }),
    ...(call === undefined ? {} : { call }),
    ...(seed === undefined ? {} : { seed }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(grounding === undefined ? {} : { grounding }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(brain === undefined ? {} : { brain }),
  };
}

const NOT_BEGUN = '(The caller spoke first, and was not asked. Nothing was done.)';

/** The agent's turns, and what goes from one to the next: the talk as it was heard, what the brain has in mind, and the consent line until
 * it was heard whole. */
export class AgentSide {
  readonly conversation = new Conversation();
  readonly #options: SessionOptions;
  readonly #hooks: TurnHooks;
  #memory: unknown;
  #consent: string;
  #nextSpeech = 0;

  constructor(options: SessionOptions, hooks: TurnHooks) {
    this.#options = options;
    this.#hooks = hooks;
    this.#consent = options.settings.consentLine.trim();
  }

  get consentIsDue(): boolean {
    return this.#consent !== '';
  }

  newTurn(
    id: number,
    settings: SessionSettings,
    { question = null, held = false, yields = false }: TurnKind,
  ): AgentTurn {
    const { clock, lane, brain, desk, guard, retrieve } = this.#options;
    const asked = question?.text ?? '';
    const turn: AgentTurn = new AgentTurn({
      id,
      speech: this.#nextSpeech++,
      clock,
      lane,
      brain,
      desk,
      guard,
      asked,
      held,
      yields,
      retrieve: (signal) => retrieve(question?.query ?? asked, signal),
      request: requestOf(settings, this.#options),
      farewell: () => phraseOf(settings, 'farewell'),
      thinking: () => phraseOf(settings, 'thinking'),
      before: () => this.#hooks.before(),
      context: () => ({
        memory: this.#memory,
        messages: [...this.conversation.messages(id, question?.turnId), { role: 'user', content: asked }],
      }),
      onToolsRunning: () => this.#hooks.onToolsRunning(),
      onWaiting: () => this.#hooks.onWaiting(),
      onDone: (failure) => this.#hooks.onDone(turn, failure),
    });
    if (this.consentIsDue) turn.words.preface(this.#consent);
    return turn;
  }

  /** The turn is the past: takes what was heard of it into the account of the call. The words that were heard. */
  settle(
    turn: AgentTurn,
    segments: readonly PlayedSegment[],
    how: { readonly startMs: number; readonly endMs: number; readonly interrupted: boolean },
  ): string {
    if (turn.asking.memory !== null) this.#memory = turn.asking.memory.value;
    if (turn.words.prefaceWasHeard(segments)) this.#consentHeard();
    if (how.interrupted) this.#forget(turn);
    const text = heardTurn(turn.words.texts, segments);
    this.conversation.agent({ turnId: turn.id, text, ...how }, turn.tools.list);
    return text;
  }

  /** What follows the consent line is heard. */
  playing(turn: AgentTurn, segment: number): void {
    if (turn.words.prefaceIsBehind(segment)) this.#consentHeard();
  }

  #consentHeard(): void {
    if (!this.consentIsDue) return;
    this.#consent = '';
    this.#options.output.recordable?.();
  }

  /** The caller spoke before an interlude of the turn began: it does not. */
  #forget({ id, tools: { effect } }: AgentTurn): void {
    if (effect?.kind !== 'interlude') return;
    effect.interlude.dropped?.();
    this.conversation.note(id, NOT_BEGUN);
  }
}
