import { agreementIn } from '../../language/capture/index.ts';
import { type AgentLanguage, SPOKEN } from '../../language/text/index.ts';
import type {
  Interlude,
  InterludeInput,
  InterludeStep,
  SessionTool,
  ToolDesk,
  ToolOutcome,
} from '../session/index.ts';

export interface ConfirmOrder {
  readonly tool: SessionTool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly language: AgentLanguage;
  /** Said while the tool runs; null: nothing. */
  readonly filler: string | null;
  /** Makes the call that the caller has agreed to. */
  readonly run: () => Promise<ToolOutcome>;
}

/** Answers that were neither yes nor no. */
const MOST_UNCLEAR = 2;
const MAX_VALUE_CHARACTERS = 80;

/** The engine asks before a tool does what can't be undone. Only the caller's own yes lets it run. */
export class Confirming implements Interlude {
  readonly #order: ConfirmOrder;
  #unclear = 0;

  constructor(order: ConfirmOrder) {
    this.#order = order;
  }

  begin(): InterludeStep {
    const { tool, args, language } = this.#order;
    const what = [tool.description.trim() || tool.name, ...valuesOf(args)].join(', ').replace(/[.\s]+$/u, '');
    return { kind: 'ask', say: SPOKEN[language].phrases.confirm.replace('{}', () => what) };
  }

  take(input: InterludeInput): InterludeStep {
    const answer = this.#answerIn(input);
    if (answer === 'yes') return this.#work();
    if (answer === 'no') return this.#told('the caller said no; it was not done');
    this.#unclear++;
    if (this.#unclear < MOST_UNCLEAR) return this.begin();
    return this.#told('the caller did not say yes; it was not done');
  }

  #answerIn(input: InterludeInput): 'yes' | 'no' | null {
    if (input.kind === 'keys') return input.keys === '1' ? 'yes' : input.keys === '2' ? 'no' : null;
    return input.kind === 'said' ? agreementIn(input.text, this.#order.language) : null;
  }

  #work(): InterludeStep {
    const { run, filler } = this.#order;
    const done = run().then((outcome) => this.#told(outcome.content));
    return { kind: 'work', say: filler, done };
  }

  #told(content: string): InterludeStep {
    return { kind: 'done', told: `(${this.#order.tool.name}, which the caller was asked about) ${content}` };
  }
}

let calls = 0;

/** Made at the desk, once, where the caller agrees: never in the name of a turn of the brain's. */
export function confirmingIn(desk: ToolDesk, order: Omit<ConfirmOrder, 'run'>): Confirming {
  const { tool, args } = order;
  const run = () => desk.call(--calls, tool.name, JSON.stringify(args), { confirmed: true });
  return new Confirming({ ...order, run });
}

/** As a person can hear them: numbers and short texts, by name. */
const valuesOf = (args: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(args)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${String(value).slice(0, MAX_VALUE_CHARACTERS)}`);
