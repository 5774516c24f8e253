import { AGENT_LANGUAGE_WORDS, type AgentLanguage } from '../text/index.ts';
import type { Character } from './characters.ts';
import type { CaptureHints, CaptureKind, CaptureReading, SpokenInput } from './contract.ts';
import { KEYPAD_KINDS } from './value-readers.ts';

export interface CaptureRequest {
  readonly kind: CaptureKind;
  readonly hints: CaptureHints & { readonly language: AgentLanguage };
  /** The agent's name of the value: "your order number". */
  readonly label?: string;
  /** Whether the value is read back; absent: where its kind can be misheard. */
  readonly confirm?: 'always' | 'never';
}

export type CapturePhase =
  | { readonly at: 'asking' }
  /** A part was said, and the rest is waited for. */
  | { readonly at: 'more'; readonly heard: readonly Character[] }
  /** One character was in doubt. */
  | { readonly at: 'character'; readonly heard: readonly Character[]; readonly place: number }
  | { readonly at: 'half_of_day'; readonly hour: number; readonly minute: number }
  | { readonly at: 'confirming'; readonly reading: CaptureReading }
  | { readonly at: 'correcting'; readonly reading: CaptureReading }
  /** A character was said that belongs somewhere. */
  | { readonly at: 'placing'; readonly reading: CaptureReading; readonly char: string };

export type InputMode = 'speech' | 'keys' | 'spelling';

export interface CaptureState {
  readonly request: CaptureRequest;
  readonly phase: CapturePhase;
  readonly inputMode: InputMode;
  /** In vain, since the way was taken. */
  readonly misses: number;
  /** How often the caller was asked for anything but a yes. */
  readonly attempts: number;
  /** How often the caller has answered. */
  readonly turns: number;
  /** Nobody has said or pressed anything so far. */
  readonly silent: boolean;
}

export type CaptureInput =
  /** `readSoFar`: how many characters of the value were read back when the caller broke in. */
  | { readonly kind: 'said'; readonly said: SpokenInput; readonly readSoFar?: number }
  | { readonly kind: 'keys'; readonly keys: string }
  | { readonly kind: 'silence' };

export type CaptureResult =
  | {
      readonly value: string;
      readonly confidence: number;
      readonly confirmed: 'read_back' | 'keys' | 'high_confidence';
      readonly attempts: number;
    }
  | { readonly failed: 'not_understood' | 'no_answer'; readonly attempts: number };

export type CaptureStep =
  | { readonly kind: 'ask'; readonly state: CaptureState; readonly say: string }
  | { readonly kind: 'done'; readonly result: CaptureResult };

/** A talk that leads nowhere ends, however often something is corrected. */
export const MAX_TURNS = 24;
/** Two answers in vain, and another way is taken; two more, and none is left. */
const MOST_MISSES = 2;

export const capturePhrasesOf = ({ request }: CaptureState) =>
  AGENT_LANGUAGE_WORDS[request.hints.language].capture;

export const fillTemplate = (template: string, value: string): string => template.replace('{}', value);

export const captureLabel = (state: CaptureState): string =>
  state.request.label ?? capturePhrasesOf(state).what[state.request.kind];

/** The question in the way that is being tried. */
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

/** Asks for more; the caller has got on. */
export const continueCapture = (state: CaptureState, phase: CapturePhase, say: string): CaptureStep => ({
  kind: 'ask',
  state: { ...state, phase, attempts: state.attempts + (phase.at === 'confirming' ? 0 : 1) },
  say,
});

/** An answer was in vain. `say`: what is asked where this way goes on; `phase`: what is held meanwhile. */
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
