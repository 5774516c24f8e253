import { type AgentLanguage, SPOKEN } from '../text/index.ts';
import type { Character } from './characters.ts';
import type { CaptureKind, Hints, Reading, Said } from './contract.ts';
import { TYPED } from './readers.ts';

/** What is to be captured, and what is known of it. */
export interface CaptureRequest {
  readonly kind: CaptureKind;
  readonly hints: Hints & { readonly language: AgentLanguage };
  /** What the agent calls it: "your order number". */
  readonly label?: string;
}

/** What the agent has asked, and what it holds meanwhile. */
export type Phase =
  | { readonly at: 'asking' }
  /** A part was said, and the rest is waited for. */
  | { readonly at: 'more'; readonly heard: readonly Character[] }
  /** One character was in doubt. */
  | { readonly at: 'character'; readonly heard: readonly Character[]; readonly place: number }
  | { readonly at: 'half_of_day'; readonly hour: number; readonly minute: number }
  | { readonly at: 'confirming'; readonly reading: Reading }
  | { readonly at: 'correcting'; readonly reading: Reading }
  /** A character was said that belongs somewhere. */
  | { readonly at: 'placing'; readonly reading: Reading; readonly char: string };

export type Way = 'speech' | 'keys' | 'spelling';

export interface CaptureState {
  readonly request: CaptureRequest;
  readonly phase: Phase;
  readonly way: Way;
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
  | { readonly kind: 'said'; readonly said: Said; readonly readSoFar?: number }
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
export const MOST_TURNS = 24;
/** Two answers in vain, and another way is taken; two more, and none is left. */
const MOST_MISSES = 2;

export const phrasesOf = ({ request }: CaptureState) => SPOKEN[request.hints.language].capture;

export const fill = (template: string, value: string): string => template.replace('{}', value);

export const labelOf = (state: CaptureState): string =>
  state.request.label ?? phrasesOf(state).what[state.request.kind];

/** The question in the way that is being tried. */
function question(state: CaptureState): string {
  const { ask, keypad, keys, spell } = phrasesOf(state);
  const label = labelOf(state);
  if (state.way === 'spelling') return fill(spell, label);
  if (state.way === 'speech') return fill(ask, label);
  return [fill(keypad, label), keys[state.request.kind]].filter((part) => part !== undefined).join(' ');
}

export function begin(request: CaptureRequest): CaptureStep {
  const phase: Phase = { at: 'asking' };
  const state: CaptureState = {
    request,
    phase,
    way: 'speech',
    misses: 0,
    attempts: 1,
    turns: 0,
    silent: true,
  };
  return { kind: 'ask', state, say: question(state) };
}

/** Asks for more; the caller has got on. */
export const goOn = (state: CaptureState, phase: Phase, say: string): CaptureStep => ({
  kind: 'ask',
  state: { ...state, phase, attempts: state.attempts + (phase.at === 'confirming' ? 0 : 1) },
  say,
});

/** An answer was in vain. `say`: what is asked where this way goes on; `phase`: what is held meanwhile. */
export function miss(state: CaptureState, say?: string, phase: Phase = { at: 'asking' }): CaptureStep {
  const misses = state.misses + 1;
  const { again } = phrasesOf(state);
  const words = say ?? (state.way === 'speech' ? fill(again, labelOf(state)) : question(state));
  if (misses < MOST_MISSES) return goOn({ ...state, misses }, phase, words);
  if (state.way !== 'speech') return failed(state);
  const way: Way = TYPED.has(state.request.kind) ? 'keys' : 'spelling';
  const other: CaptureState = { ...state, way, misses: 0 };
  return goOn(other, { at: 'asking' }, question(other));
}

export const failed = ({ silent, attempts }: CaptureState): CaptureStep => ({
  kind: 'done',
  result: { failed: silent ? 'no_answer' : 'not_understood', attempts },
});
