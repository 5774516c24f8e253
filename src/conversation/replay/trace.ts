import type { GuardRuling, IdlePlan, InterludeStep, SessionSettings } from '../session/index.ts';

/** A trace holds the inputs of a session and its actions, with their times, in the order in which they happened. */
export interface SessionTrace {
  readonly version: 1;
  readonly settings: SessionSettings;
  readonly speculates: boolean;
  readonly idle: IdlePlan | null;
  readonly host: number | null;
  readonly guard: GuardShape | null;
  readonly comparesTopics: boolean;
  readonly events: readonly TraceEvent[];
  /** It is false where the call had more than a trace holds: the rest was not recorded. */
  readonly isWhole: boolean;
  /** The words of a redacted record were replaced by letters. */
  readonly isMasked: boolean;
}

export interface GuardShape {
  readonly meant: 'stops' | 'flags' | null;
  readonly hears: boolean;
}

export type StoredStep = { readonly kind: InterludeStep['kind'] } & Readonly<Record<string, unknown>>;

/** An input that the session waits for, and that arrives as an event of its own. */
export type Input =
  | { readonly kind: 'call' | 'input'; readonly method: string; readonly args: readonly unknown[] }
  | { readonly kind: 'timer'; readonly of: number }
  | { readonly kind: 'brain'; readonly of: number; readonly event: unknown }
  | { readonly kind: 'brain_end'; readonly of: number; readonly fault: string | null }
  | { readonly kind: 'tool'; readonly of: number; readonly outcome: unknown }
  | { readonly kind: 'passages'; readonly of: number; readonly isFound: boolean }
  | { readonly kind: 'meant' | 'heard'; readonly of: number; readonly ruling: GuardRuling | null }
  | { readonly kind: 'similarity'; readonly of: number; readonly value: number | null }
  | { readonly kind: 'work'; readonly of: number; readonly step: StoredStep | null };

/** An answer that the session gets within the same task. */
export type Answer =
  | { readonly kind: 'spoken'; readonly of: number; readonly ruling: GuardRuling }
  | { readonly kind: 'step'; readonly of: number; readonly method: string; readonly result: unknown }
  | { readonly kind: 'interlude'; readonly of: number; readonly methods: readonly string[] }
  | {
      readonly kind: 'tools';
      readonly list: readonly { readonly name: string; readonly filler: string | null }[];
    }
  | { readonly kind: 'waits'; readonly of: number };

export type Deed =
  | { readonly kind: 'says'; readonly speech: number; readonly text: string; readonly held: boolean }
  | { readonly kind: 'finishes' | 'plays' | 'discards'; readonly speech: number }
  | { readonly kind: 'stops' }
  | { readonly kind: 'barge_in'; readonly turn: number; readonly playedMs: number }
  | { readonly kind: 'ends'; readonly reason: string };

export type TraceEntry = Input | Answer | Deed;

/** `isSameTask` marks an input that followed the one before it without a pause for what that one had begun. */
export type TraceEvent = readonly [atMs: number, entry: TraceEntry, isSameTask?: 1];

export const DEEDS: ReadonlySet<string> = new Set<Deed['kind']>([
  'says',
  'finishes',
  'plays',
  'discards',
  'stops',
  'barge_in',
  'ends',
]);
export const ANSWERS: ReadonlySet<string> = new Set<Answer['kind']>([
  'spoken',
  'step',
  'interlude',
  'tools',
  'waits',
]);

export const isDeed = (entry: TraceEntry): entry is Deed => DEEDS.has(entry.kind);
export const isAnswer = (entry: TraceEntry): entry is Answer => ANSWERS.has(entry.kind);
export const isInput = (entry: TraceEntry): entry is Input => !isDeed(entry) && !isAnswer(entry);

/** The public methods of a session and of its injected input by which a call acts on it. */
export const CALL_METHODS = [
  'start',
  'resume',
  'reconfigure',
  'guardBy',
  'say',
  'interrupt',
  'mute',
  'dtmf',
  'end',
  'take',
] as const;
export const INPUT_METHODS = [
  'typedTurn',
  'respond',
  'injectContext',
  'injectLateToolResult',
  'beginInterlude',
  'wake',
  'endWithFarewell',
] as const;
