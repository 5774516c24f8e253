import type { BrainMessage } from '../brains/index.ts';
import { AgentTurn, type AgentTurnOptions, type TurnFailure } from './agent-turn.ts';
import type { AnswerTerms } from './answer-terms.ts';
import type { SessionOptions, SessionSettings } from './contract.ts';
import { ConversationHistory } from './conversation-history.ts';
import { phraseOf } from './phrases.ts';
import { playedTurnText } from './playout-position.ts';
import { toolsOf } from './tool-dispatcher.ts';
import { keepingTo } from './topic-guard.ts';
import type { PlayedSegment } from './voice-lane.ts';

/** `query` is the knowledge search where it differs from the text. */
export interface CallerQuestion {
  readonly turnId: number;
  readonly text: string;
  readonly query?: string;
}

export interface NewTurnOptions {
  readonly question?: CallerQuestion | null;
  readonly held?: boolean;
  readonly yields?: boolean;
  readonly terms?: AnswerTerms | undefined;
}

export interface AgentTurnHooks {
  whenPreviousPlayed(): Promise<void>;
  onToolsRunning(): void;
  onWaiting(): void;
  onDone(turn: AgentTurn, failure: TurnFailure | null): void;
}

function requestOf(
  settings: SessionSettings,
  { owner, call }: Pick<SessionOptions, 'owner' | 'call'>,
): AgentTurnOptions['request'] {
  const { language, persona, seed, temperature, grounding, timeZone, brain, plan } = settings;
  return {
    language,
    persona,
    ...(owner === undefined ? {} : { owner }),
    ...(call === undefined ? {} : { call }),
    ...(seed === undefined ? {} : { seed }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(grounding === undefined ? {} : { grounding }),
    ...(timeZone == null ? {} : { timeZone }),
    ...(brain == null ? {} : { brain }),
    ...(plan === undefined ? {} : { plan }),
  };
}

const termsOf = (terms: AnswerTerms | undefined, dispatcher: SessionOptions['toolDispatcher']) =>
  terms === undefined
    ? {}
    : { tools: toolsOf(dispatcher, terms.tools, terms.own), refusal: (name: string) => terms.refusal(name) };

/** The history begins at a turn of the caller, because most models reject a tool result without its call. */
function newest(messages: BrainMessage[], most = messages.length): BrainMessage[] {
  if (messages.length <= most) return messages;
  const from = messages.findIndex(({ role }, at) => at >= messages.length - most && role === 'user');
  return from < 0 ? [] : messages.slice(from);
}

const NOT_BEGUN = '(The caller spoke first, and was not asked. Nothing was done.)';

/**
 * Holds what passes from one agent turn to the next: the played conversation, the brain's memory, and the consent
 * line until it was played completely.
 */
export class AgentTurns {
  readonly conversation = new ConversationHistory();
  readonly #options: SessionOptions;
  readonly #hooks: AgentTurnHooks;
  #guard: SessionOptions['guard'];
  #memory: unknown;
  #consent: string;
  #nextSpeech = 0;
  #lead: string | null = null;

  constructor(options: SessionOptions, hooks: AgentTurnHooks) {
    this.#options = options;
    this.#hooks = hooks;
    this.#consent = options.settings.consentLine.trim();
    this.#guard = options.guard;
    const { resumes } = options;
    if (resumes === undefined) return;
    this.#memory = resumes.memory;
    this.conversation.restore(resumes.entries, resumes.messages);
  }

  get memory(): unknown {
    return this.#memory;
  }

  guardBy(guard: SessionOptions['guard']): void {
    this.#guard = guard;
  }

  leadWith(words: string): void {
    this.#lead = words;
  }

  get isConsentPending(): boolean {
    return this.#consent !== '';
  }

  #guardOf(terms: AnswerTerms | undefined): SessionOptions['guard'] {
    const { similarity } = this.#options;
    if (terms?.topics === undefined || similarity === undefined) return this.#guard;
    return keepingTo(terms.topics, similarity, this.#guard);
  }

  newTurn(
    id: number,
    settings: SessionSettings,
    { question = null, held = false, yields = false, terms }: NewTurnOptions,
  ): AgentTurn {
    const { clock, lane, brain, toolDispatcher: dispatcher, retrieve } = this.#options;
    const asked = question?.text ?? '';
    const guard = this.#guardOf(terms);
    // Its audio may run into a sentence that a rule would withhold, so a rule needs the answer as text.
    const playsVoice = lane.playsModelVoice === true && guard === undefined;
    const turn: AgentTurn = new AgentTurn({
      id,
      speech: this.#nextSpeech++,
      clock,
      lane,
      brain,
      dispatcher,
      guard,
      callerText: asked,
      questionId: question?.turnId ?? null,
      held,
      yields,
      ...termsOf(terms, dispatcher),
      retrieve: async (signal) => {
        const query = question?.query ?? asked;
        if (terms === undefined) return await retrieve(query, signal);
        return terms.query === null ? [] : await retrieve(terms.query || query, signal);
      },
      request: {
        ...requestOf(terms === undefined ? settings : { ...settings, persona: terms.persona }, this.#options),
        ...(playsVoice ? { playsVoice } : {}),
      },
      farewell: () => phraseOf(settings, 'farewell'),
      thinking: () => phraseOf(settings, 'thinking'),
      whenPreviousPlayed: () => this.#hooks.whenPreviousPlayed(),
      context: () => {
        const callerAudio = asked === '' ? null : (lane.callerAudio?.(asked) ?? null);
        return {
          memory: this.#memory,
          messages: [
            ...newest(this.conversation.messages(id, question?.turnId), terms?.messages),
            { role: 'user', content: asked },
          ],
          ...(callerAudio === null ? {} : { callerAudio }),
        };
      },
      onToolsRunning: () => this.#hooks.onToolsRunning(),
      onWaiting: () => this.#hooks.onWaiting(),
      onDone: (failure) => this.#hooks.onDone(turn, failure),
    });
    if (this.isConsentPending) turn.words.preface(this.#consent);
    if (this.#lead !== null) turn.words.filler(this.#lead);
    this.#lead = null;
    return turn;
  }

  commitPlayed(
    turn: AgentTurn,
    segments: readonly PlayedSegment[],
    how: { readonly startMs: number; readonly endMs: number; readonly interrupted: boolean },
  ): string {
    if (turn.exchange.memory !== null) this.#memory = turn.exchange.memory.value;
    if (turn.words.wasPrefacePlayed(segments)) this.#consentHeard();
    if (how.interrupted) this.#forget(turn);
    const text = playedTurnText(turn.words.texts, segments);
    this.conversation.addAgentTurn({ turnId: turn.id, text, ...how }, turn.tools.list);
    return text;
  }

  /** The caller has heard the consent line once a segment after it plays. */
  onSegmentPlaying(turn: AgentTurn, segment: number): void {
    if (turn.words.isPrefaceDone(segment)) this.#consentHeard();
  }

  #consentHeard(): void {
    if (!this.isConsentPending) return;
    this.#consent = '';
    this.#options.output.recordingAllowed?.();
  }

  /** The caller spoke before the turn's interlude began, so it does not begin. */
  #forget({ id, tools: { effect } }: AgentTurn): void {
    if (effect?.kind !== 'interlude') return;
    effect.interlude.dropped?.();
    this.conversation.addNote(id, NOT_BEGUN);
  }
}
