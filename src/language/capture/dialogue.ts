import { AGENT_LANGUAGE_WORDS, type AgentLanguage } from '../text/index.ts';
import type { Character } from './characters.ts';
import type { CaptureHints, CaptureKind, CaptureReading, SpokenInput } from './contract.ts';
import type { CaptureRecord } from './record-table.ts';
import { KEYPAD_KINDS } from './value-readers.ts';

export interface CaptureRequest {
  readonly kind: CaptureKind;
  readonly hints: CaptureHints & { readonly language: AgentLanguage };
  readonly label?: string;
  readonly confirm?: 'always' | 'never';
}

export type CapturePhase =
  | { readonly at: 'asking' }
  | { readonly at: 'more'; readonly heard: readonly Character[] }
  | { readonly at: 'character'; readonly heard: readonly Character[]; readonly place: number }
  | { readonly at: 'half_of_day'; readonly hour: number; readonly minute: number }
  | { readonly at: 'confirming'; readonly reading: CaptureReading }
  | { readonly at: 'correcting'; readonly reading: CaptureReading }
  | { readonly at: 'placing'; readonly reading: CaptureReading; readonly char: string };

export type InputMode = 'speech' | 'keys' | 'spelling';

export interface CaptureState {
  readonly request: CaptureRequest;
  readonly phase: CapturePhase;
  readonly inputMode: InputMode;
  /** The count restarts with each input mode. */
  readonly misses: number;
  /** Requests for a confirmation do not count. */
  readonly attempts: number;
  readonly turns: number;
  readonly silent: boolean;
}

export type CaptureInput =
  | { readonly kind: 'said'; readonly said: SpokenInput; readonly readSoFar?: number }
  | { readonly kind: 'keys'; readonly keys: string }
  | { readonly kind: 'silence' };

export type CaptureResult =
  | {
      readonly value: string;
      readonly confidence: number;
      readonly confirmed: 'read_back' | 'keys' | 'high_confidence';
      readonly attempts: number;
      /** The row of the customer's records that the value is of. */
      readonly record?: CaptureRecord;
    }
  | { readonly failed: 'not_understood' | 'no_answer'; readonly attempts: number };

export type CaptureStep =
  | { readonly kind: 'ask'; readonly state: CaptureState; readonly say: string }
  | { readonly kind: 'done'; readonly result: CaptureResult };

/** The bound ends a dialogue that makes no progress, even if every correction differs. */
export const MAX_TURNS = 24;
/** Two misses switch to another input mode; two more end the capture. */
const MOST_MISSES = 2;

export const capturePhrasesOf = ({ request }: CaptureState) =>
  AGENT_LANGUAGE_WORDS[request.hints.language].capture;

export const fillTemplate = (template: string, value: string): string => template.replace('{}', () => value);

export const captureLabel = (state: CaptureState): string =>
  state.request.label ?? capturePhrasesOf(state).what[state.request.kind];

function question(state: CaptureState): string {
  const { ask, keypad, keys, spell } = capturePhrasesOf(state);
  const label = captureLabel(state);
  if (state.inputMode === 'spelling') return fillTemplate(spell, label);
  if (state.inputMode === 'speech') return fillTemplate(ask, label);
  return [fillTemplate(keypad, label), keys[state.request.kind]]
    .filter((part) => part !== undefined)
    .join(' ');
}

export function beginCapture(request: CaptureRequest): CaptureStep {
  const phase: CapturePhase = { at: 'asking' };
  const state: CaptureState = {
    request,
    phase,
    inputMode: 'speech',
    misses: 0,
    attempts: 1,
    turns: 0,
    silent: true,
  };
  return { kind: 'ask', state, say: question(state) };
}

export const continueCapture = (state: CaptureState, phase: CapturePhase, say: string): CaptureStep => ({
  kind: 'ask',
  state: { ...state, phase, attempts: state.attempts + (phase.at === 'confirming' ? 0 : 1) },
  say,
});

/** Counts a failed answer. `say` is the question where the input mode stays, and `phase` the state to keep. */
export function recordMiss(
  state: CaptureState,
  say?: string,
  phase: CapturePhase = { at: 'asking' },
): CaptureStep {
  const misses = state.misses + 1;
  const { again } = capturePhrasesOf(state);
  const words =
    say ?? (state.inputMode === 'speech' ? fillTemplate(again, captureLabel(state)) : question(state));
  if (misses < MOST_MISSES) return continueCapture({ ...state, misses }, phase, words);
  if (state.inputMode !== 'speech') return captureFailed(state);
  const way: InputMode = KEYPAD_KINDS.has(state.request.kind) ? 'keys' : 'spelling';
  const other: CaptureState = { ...state, inputMode: way, misses: 0 };
  return continueCapture(other, { at: 'asking' }, question(other));
}

export const captureFailed = ({ silent, attempts }: CaptureState): CaptureStep => ({
  kind: 'done',
  result: { failed: silent ? 'no_answer' : 'not_understood', attempts },
});
