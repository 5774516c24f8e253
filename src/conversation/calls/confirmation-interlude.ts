import { parseAgreement } from '../../language/capture/index.ts';
import { AGENT_LANGUAGE_WORDS, type AgentLanguage } from '../../language/text/index.ts';
import type {
  Interlude,
  InterludeInput,
  InterludeStep,
  SessionTool,
  ToolDispatcher,
  ToolOutcome,
} from '../session/index.ts';

export interface ConfirmationOptions {
  readonly tool: SessionTool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly language: AgentLanguage;
  readonly filler: string | null;
  readonly run: () => Promise<ToolOutcome>;
}

const MAX_UNCLEAR_ANSWERS = 2;
const MAX_VALUE_CHARACTERS = 80;

/** The engine asks before a tool does what cannot be undone. Only the caller's own yes lets it run. */
export class ConfirmationInterlude implements Interlude {
  readonly #order: ConfirmationOptions;
  #language: AgentLanguage;
  #unclear = 0;

  constructor(order: ConfirmationOptions) {
    this.#order = order;
    this.#language = order.language;
  }

  begin(): InterludeStep {
    const { tool, args } = this.#order;
    const what = [tool.description.trim() || tool.name, ...valuesOf(args)].join(', ').replace(/[.\s]+$/u, '');
    return {
      kind: 'ask',
      say: AGENT_LANGUAGE_WORDS[this.#language].phrases.confirm.replace('{}', () => what),
    };
  }

  take(input: InterludeInput): InterludeStep {
    const answer = this.#answerIn(input);
    if (answer === 'yes') return this.#work();
    if (answer === 'no') return this.#message('the caller said no; it was not done');
    this.#unclear++;
    if (this.#unclear < MAX_UNCLEAR_ANSWERS) return this.begin();
    return this.#message('the caller did not say yes; it was not done');
  }

  languageChanged(language: string): void {
    this.#language = language as AgentLanguage;
  }

  #answerIn(input: InterludeInput): 'yes' | 'no' | null {
    if (input.kind === 'keys') return input.keys === '1' ? 'yes' : input.keys === '2' ? 'no' : null;
    return input.kind === 'said' ? parseAgreement(input.text, this.#language) : null;
  }

  #work(): InterludeStep {
    const { run, filler } = this.#order;
    const done = run().then((outcome) => this.#message(outcome.content));
    return { kind: 'work', say: filler, done };
  }

  #message(content: string): InterludeStep {
    return {
      kind: 'done',
      message: `(${this.#order.tool.name}, which the caller was asked about) ${content}`,
    };
  }
}

let calls = 0;

/** The dispatcher runs the confirmed call once, outside any turn of the model. */
export function confirmToolCall(
  dispatcher: ToolDispatcher,
  order: Omit<ConfirmationOptions, 'run'>,
): ConfirmationInterlude {
  const { tool, args } = order;
  const run = () => dispatcher.call(--calls, tool.name, JSON.stringify(args), { confirmed: true });
  return new ConfirmationInterlude({ ...order, run });
}

const valuesOf = (args: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(args)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${String(value).slice(0, MAX_VALUE_CHARACTERS)}`);
