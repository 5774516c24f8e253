import type { Flow } from '../../src/conversation/flows/index.ts';
import type { SessionTool } from '../../src/conversation/session/index.ts';
import type { Caller } from './callers.ts';

/** The facts of a call are what its audio, tools and captures show; the engine's own state is not asked. */
export interface Facts {
  readonly slots: ReadonlyMap<string, string>;
  /** Lines that were played to their end, by their names in `lines`. */
  readonly heard: ReadonlySet<string>;
  /** Tools that have answered. */
  readonly done: ReadonlySet<string>;
  readonly answers: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly keys: ReadonlySet<string>;
}

export interface Wish {
  readonly says: string;
  /** The exits that serve this wish; the scripted model names the first that is open. */
  readonly exits: readonly string[];
  readonly goals: readonly string[];
  /** The act without which the wish was not served, whatever was claimed; null where a person serves it. */
  readonly act: string | null;
}

export interface Business {
  readonly name: string;
  readonly flow: Flow;
  /** All steps in one prompt, as they are written where there is no flow. */
  readonly persona: string;
  readonly tools: Readonly<Record<string, (caller: Caller) => Readonly<Record<string, unknown>>>>;
  readonly lines: Readonly<Record<string, string>>;
  /** Acts that cannot be undone, and what must have happened before each. Other acts are free. */
  readonly guarded: Readonly<Record<string, (facts: Facts) => boolean>>;
  readonly wishes: readonly Wish[];
  readonly knows: readonly (readonly [asked: RegExp, answer: (caller: Caller) => string])[];
  /** A caller may press these keys where the agent's words offer them. */
  readonly keys: readonly (readonly [offered: RegExp, keys: string])[];
}

export const LIMIT = 500;

export const overLimit = (facts: Facts, tool: string, field: string): boolean =>
  Number(facts.answers.get(tool)?.[field] ?? 0) > LIMIT;

export const has = (facts: Facts, ...slots: readonly string[]): boolean =>
  slots.every((slot) => facts.slots.has(slot));

export const toolOf = (name: string): SessionTool => ({
  name,
  description: `${name.replaceAll('_', ' ')} for the caller`,
  parameters: { type: 'object' },
  timeoutMs: 1_000,
  filler: null,
});
