import { type Clock, systemClock } from '../../platform/clock.ts';
import {
  type Brain,
  BrainError,
  type BrainEvent,
  type BrainMessage,
  type BrainRequest,
  type BrainTool,
} from '../contract.ts';
import { hostTimeZone } from '../moment.ts';
import { dayIn } from './dates.ts';
import { advanceForm, newForm, type OpenForm } from './form.ts';
import { type Intent, intentOf } from './intents.ts';
import { type Embed, Meaning } from './meaning.ts';
import { ownName, spokenSentences } from './persona.ts';
import { PHRASES } from './phrases.ts';
import { speakResult } from './result.ts';
import { search } from './search.ts';
import { toolFor } from './tool-choice.ts';
import { contentStems, sentencesOf } from './words.ts';

export interface ResponderOptions {
  /** Meaning beside words for English; without it words alone rank. */
  readonly embed?: Embed;
  readonly clock?: Clock;
  /** Whose days "today" and "tomorrow" are where the request says no time zone; the host's own without it. */
  readonly timeZone?: string;
  /** The persona was written for a model behind which this stands: none of it is said to callers but the agent's name, and what
   * only the model could have answered is a failure. It would be untrue that the agent doesn't have the information. */
  readonly personaIsForModel?: boolean;
}

interface Memory {
  readonly form: OpenForm | null;
  readonly calls: number;
}

const START: Memory = { form: null, calls: 0 };

/** The built-in responder: says what the persona and the passages say, fills and calls tools, and otherwise admits
 * that it doesn't know. It composes nothing of its own, so it can't invent. */
export function createResponder(options: ResponderOptions = {}): Brain {
  const clock = options.clock ?? systemClock;
  const standsIn = options.personaIsForModel ?? false;
  const facts: Facts = standsIn ? () => [] : spokenSentences;
  const meaning = options.embed === undefined ? null : new Meaning(options.embed, clock);
  async function* respond(request: BrainRequest, signal: AbortSignal): AsyncGenerator<BrainEvent> {
    if (signal.aborted) return;
    const memory = isMemory(request.memory) ? request.memory : START;
    const last = request.messages.at(-1);
    if (last === undefined) yield say(PHRASES[request.language].greeting);
    else if (last.role === 'tool') yield say(speakResult(last.content, request.language));
    else if (last.role === 'user') {
      yield* answer({
        request,
        said: last.content,
        memory,
        today: dayIn(
          request.moment?.timeZone ?? options.timeZone ?? hostTimeZone(),
          request.moment?.now ?? clock.now(),
        ),
        meaning,
        facts,
        standsIn,
        signal,
      });
    }
  }
  return {
    name: 'responder',
    respond,
    prepare: (persona, language) => void meaning?.prepare(facts(persona, language), language),
  };
}

const say = (text: string): BrainEvent => ({ kind: 'text', text });

function isMemory(value: unknown): value is Memory {
  return typeof value === 'object' && value !== null && 'form' in value && 'calls' in value;
}

/** What of a persona may be said as it stands. */
type Facts = typeof spokenSentences;

interface Question {
  readonly request: BrainRequest;
  readonly said: string;
  readonly memory: Memory;
  /** Midnight of the caller's day, see `dayIn`. */
  readonly today: number;
  readonly meaning: Meaning | null;
  readonly facts: Facts;
  /** For a model that gives no answer. */
  readonly standsIn: boolean;
  readonly signal: AbortSignal;
}

async function* answer(question: Question): AsyncGenerator<BrainEvent> {
  const { request, said, memory, today } = question;
  const intent = intentOf(said, request.language);
  const open = request.tools.find((tool) => tool.name === memory.form?.tool);
  if (open !== undefined && memory.form !== null && !leavesForm(intent)) {
    yield* fill(request, memory.form, open, said, memory.calls, today);
    return;
  }
  if (memory.form !== null) yield { kind: 'memory', memory: { ...memory, form: null } };
  if (intent !== null && !(question.standsIn && isForModel(intent, memory))) {
    yield* react(intent, request, memory.form !== null);
    return;
  }
  const tool = toolFor(said, request.tools, request.language);
  if (tool !== null) {
    yield* fill(request, newForm(tool), tool, said, memory.calls, today);
    return;
  }
  const known = await fromKnowledge(question);
  if (known !== null) yield say(known);
  else if (question.standsIn) throw noAnswer();
  else {
    const { again, unknown } = PHRASES[request.language];
    yield say(contentStems(said, request.language).length === 0 ? again : unknown);
  }
}

/** What the caller agrees to or declines only the model knows, and whom it greets it should then answer. */
const isForModel = (intent: Intent, { form }: Memory): boolean =>
  intent === 'greet' ||
  intent === 'yes' ||
  intent === 'no' ||
  intent === 'stay' ||
  (intent === 'cancel' && form === null);

const noAnswer = (): BrainError =>
  new BrainError('unreachable', 'the model gave no answer, and the responder has none', { retryable: false });

const leavesForm = (intent: Intent | null): boolean =>
  intent === 'cancel' || intent === 'end' || intent === 'hand_over' || intent === 'repeat';

async function* fill(
  request: BrainRequest,
  form: OpenForm,
  tool: BrainTool,
  said: string,
  calls: number,
  today: number,
): AsyncGenerator<BrainEvent> {
  const step = advanceForm(form, tool, said, request.language, today);
  switch (step.kind) {
    case 'ask':
      yield { kind: 'memory', memory: { form: step.form, calls } satisfies Memory };
      yield say(step.text);
      return;
    case 'drop':
      yield { kind: 'memory', memory: { form: null, calls } satisfies Memory };
      yield say(PHRASES[request.language].cancelled);
      return;
    case 'give_up':
      yield { kind: 'memory', memory: { form: null, calls } satisfies Memory };
      yield say(PHRASES[request.language].handOver);
      yield { kind: 'action', action: 'hand_over' };
      return;
    case 'call': {
      yield { kind: 'memory', memory: { form: null, calls: calls + 1 } satisfies Memory };
      const text = JSON.stringify(step.values);
      yield { kind: 'tool_call', call: { id: `call_${calls + 1}`, name: tool.name, arguments: text } };
    }
  }
}

function* react(intent: Intent, request: BrainRequest, hadForm: boolean): Generator<BrainEvent> {
  const phrases = PHRASES[request.language];
  switch (intent) {
    case 'greet':
      yield say(phrases.greeting);
      return;
    case 'yes':
    case 'no':
    case 'stay':
      yield say(lastHeard(request.messages) === null ? phrases.greeting : phrases.goOn);
      return;
    case 'thank':
      yield say(phrases.thanks);
      return;
    case 'cancel':
      yield say(hadForm ? phrases.cancelled : phrases.goOn);
      return;
    case 'repeat':
      yield say(lastHeard(request.messages) ?? phrases.nothingSaid);
      return;
    case 'identity':
      // Whoever asks is told what it is, whatever it is called.
      yield say(
        [ownName(request.persona, request.language), phrases.automated].filter((part) => part).join(' '),
      );
      return;
    case 'hand_over':
      yield say(phrases.handOver);
      yield { kind: 'action', action: 'hand_over' };
      return;
    case 'end':
      yield say(phrases.farewell);
      yield { kind: 'action', action: 'end_call' };
  }
}

const lastHeard = (messages: readonly BrainMessage[]): string | null =>
  messages.findLast((message) => message.role === 'assistant' && message.content !== '')?.content ?? null;

/** Null: nothing that was given is about it. */
async function fromKnowledge({ request, said, meaning, facts, signal }: Question): Promise<string | null> {
  const { language } = request;
  const candidates = [
    ...request.passages.flatMap(({ text }) => sentencesOf(text)).map((text) => ({ text, weight: 1.15 })),
    ...facts(request.persona, language).map((text) => ({ text, weight: 1 })),
  ];
  const [best, second] = await search(said, candidates, language, meaning, signal);
  if (best === undefined) return null;
  const also =
    second !== undefined &&
    second.evidence > 0.85 * best.evidence &&
    best.text.length + second.text.length < 240;
  return also ? `${best.text} ${second.text}` : best.text;
}
