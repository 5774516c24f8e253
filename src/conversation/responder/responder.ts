import { type Clock, systemClock } from '../../foundation/platform/clock.ts';
import {
  contentStems,
  type EmbedFunction,
  SemanticSimilarity,
  searchCandidates,
} from '../../language/retrieval/index.ts';
import { AGENT_LANGUAGE_WORDS, type Intent, intentOf } from '../../language/text/index.ts';
import {
  type Brain,
  BrainError,
  type BrainEvent,
  type BrainMessage,
  type BrainRequest,
} from '../brains/index.ts';
import { ownName, type PersonaFact, personaFacts, sayable } from './persona.ts';

export interface ResponderOptions {
  /** Embeddings rank English passages along with words; without them, words alone rank. */
  readonly embed?: EmbedFunction;
  readonly clock?: Clock;
  /**
   * The persona was written for a language model that this responder backs up. The responder then says only the
   * agent's name from it, and throws where only the model could answer: claiming to lack the information would be
   * untrue.
   */
  readonly personaIsForModel?: boolean;
}

type Memory = { readonly message: 'none' | 'offered' | 'expected' };

const isMemory = (value: unknown): value is Memory =>
  typeof value === 'object' && value !== null && 'message' in value;

/**
 * The built-in responder answers in the words of the persona and the passages, and otherwise offers to take a message
 * or to transfer. It calls no tools and generates no text.
 */
export function createResponder(options: ResponderOptions = {}): Brain {
  const standsIn = options.personaIsForModel ?? false;
  const facts: typeof personaFacts = standsIn ? () => [] : personaFacts;
  const meaning =
    options.embed === undefined ? null : new SemanticSimilarity(options.embed, options.clock ?? systemClock);
  async function* respond(request: BrainRequest, signal: AbortSignal): AsyncGenerator<BrainEvent> {
    if (signal.aborted) return;
    const last = request.messages.at(-1);
    const { greeting } = AGENT_LANGUAGE_WORDS[request.language].phrases;
    if (last === undefined) yield say(greeting);
    // A tool result comes from a model's tool call, and only that model can use it.
    else if (last.role === 'tool') throw noAnswer();
    else if (last.role === 'user') {
      const memory = isMemory(request.memory) ? request.memory : { message: 'none' as const };
      const turn: Turn = { request, said: last.content, memory, meaning, facts, standsIn, signal };
      const { events, message } = await answer(turn);
      if (message !== memory.message) yield { kind: 'memory', memory: { message } satisfies Memory };
      yield* events;
    }
  }
  return {
    name: 'responder',
    startsSentence: true,
    respond,
    prepare: (persona, language) => void meaning?.prepare(facts(persona, language).map(searched), language),
  };
}

const say = (text: string): BrainEvent => ({ kind: 'text', text });

interface Turn {
  readonly request: BrainRequest;
  readonly said: string;
  readonly memory: Memory;
  readonly meaning: SemanticSimilarity | null;
  readonly facts: typeof personaFacts;
  readonly standsIn: boolean;
  readonly signal: AbortSignal;
}

interface Answer {
  readonly events: readonly BrainEvent[];
  readonly message: Memory['message'];
}

const saying = (text: string, message: Memory['message'] = 'none'): Answer => ({
  events: [say(text)],
  message,
});

async function answer(turn: Turn): Promise<Answer> {
  const { request, said, memory, standsIn } = turn;
  const phrases = AGENT_LANGUAGE_WORDS[request.language].phrases;
  const intent = intentOf(said, request.language);
  if (memory.message === 'offered' && intent === 'yes') return saying(phrases.leaveMessage, 'expected');
  if (memory.message === 'expected' && intent === null) return saying(phrases.messageTaken);
  if (intent !== null && !(standsIn && isForModel(intent))) return react(intent, request);
  const known = await fromKnowledge(turn);
  if (known !== null) return saying(known);
  if (standsIn) throw noAnswer();
  const understood = contentStems(said, request.language).length > 0;
  return understood ? saying(phrases.unknown, 'offered') : saying(phrases.again);
}

/**
 * Only the model knows what the caller agrees to or declines, and an agent that the model greeted should also be
 * answered by it.
 */
const isForModel = (intent: Intent): boolean =>
  intent === 'greet' || intent === 'yes' || intent === 'no' || intent === 'stop';

const noAnswer = (): BrainError =>
  new BrainError('unreachable', 'neither the language model nor the built-in responder has an answer', {
    retryable: false,
  });

function react(intent: Intent, request: BrainRequest): Answer {
  const phrases = AGENT_LANGUAGE_WORDS[request.language].phrases;
  switch (intent) {
    case 'greet':
      return saying(phrases.greeting);
    case 'yes':
    case 'no':
    case 'stop':
      return saying(lastHeard(request.messages) === null ? phrases.greeting : phrases.goOn);
    case 'thank':
      return saying(phrases.thanks);
    case 'repeat':
      return saying(lastHeard(request.messages) ?? phrases.nothingSaid);
    case 'identity': {
      // The answer always discloses that the agent is automated, whatever its name is.
      const own = ownName(request.persona, request.language);
      return saying([own, phrases.automated].filter((part) => part !== null).join(' '));
    }
    case 'hand_over':
      return { events: [say(phrases.handOver), { kind: 'action', action: 'hand_over' }], message: 'none' };
    case 'end':
      return { events: [say(phrases.farewell), { kind: 'action', action: 'end_call' }], message: 'none' };
  }
}

const lastHeard = (messages: readonly BrainMessage[]): string | null =>
  messages.findLast((message) => message.role === 'assistant' && message.content !== '')?.content ?? null;

/** The search retrieved passages for this question, so they weigh more than the persona. */
const PASSAGE_WEIGHT = 1.15;
/** Facts whose score is this share of the best one's join the answer, up to MOST_CHARACTERS. */
const AS_GOOD = 0.85;
const MOST_CHARACTERS = 240;

const openingOf = (persona: string): string => persona.split('\n').slice(0, OPENING_LINES).join('\n');
const OPENING_LINES = 3;

const searched = ({ text, title }: PersonaFact): string => (title === '' ? text : `${title}: ${text}`);

async function fromKnowledge({ request, said, meaning, facts, signal }: Turn): Promise<string | null> {
  const { language } = request;
  const passages = request.passages.flatMap(({ text }) => sayable(text, language));
  const candidates = [
    ...passages.map((text) => ({ text, weight: PASSAGE_WEIGHT })),
    ...facts(request.persona, language).map((fact) => ({ text: fact.text, about: fact.title, weight: 1 })),
  ];
  const found = await searchCandidates(
    { question: said, subject: openingOf(request.persona) },
    candidates,
    language,
    meaning,
    signal,
  );
  const best = found[0];
  if (best === undefined) return null;
  let answered = best.text;
  for (const also of found.slice(1)) {
    if (also.about !== best.about) break;
    const fits = answered.length + also.text.length < MOST_CHARACTERS;
    if (also.evidence <= AS_GOOD * best.evidence || !fits) break;
    answered = `${closed(answered)} ${also.text}`;
  }
  return closed(answered);
}

const closed = (text: string): string => (/[.!?।…]["”»)]?$/u.test(text) ? text : `${text}.`);
