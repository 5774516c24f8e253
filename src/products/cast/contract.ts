import { EMOTIONS, type Emotion, type Pronunciation } from '../../speech/voices/index.ts';

/** The direction of a line. An absent field leaves it to the voice; the engine renders each of these. */
export interface LineDirection {
  /** A factor of the speech rate; 1 is the voice's own. */
  readonly pace?: number;
  readonly pitch?: number;
  /** A factor of the pitch range: below 1 is flatter, above is livelier. */
  readonly melody?: number;
  /** Decibels relative to the other lines. */
  readonly energy_db?: number;
  readonly emotion?: Emotion;
  /** Words of the line that are stressed at every occurrence. */
  readonly emphasis?: readonly string[];
  /** The pause after the line before; a negative pause makes the lines overlap. */
  readonly pause_before_ms?: number;
}

interface Control {
  readonly least: number;
  readonly most: number;
  readonly default: number;
  readonly unit: string;
}

export const CONTROLS = {
  pace: { least: 0.7, most: 1.3, default: 1, unit: 'factor' },
  pitch: { least: 0.8, most: 1.25, default: 1, unit: 'factor' },
  melody: { least: 0.4, most: 1.8, default: 1, unit: 'factor' },
  energy_db: { least: -10, most: 4, default: 0, unit: 'dB' },
  pause_before_ms: { least: -1000, most: 10_000, default: 350, unit: 'ms' },
} as const satisfies Record<string, Control>;
export type ControlName = keyof typeof CONTROLS;
export const CONTROL_NAMES = Object.keys(CONTROLS) as readonly ControlName[];

export { EMOTIONS, type Emotion };

export const MOST_STRESSED = 8;
export const LONGEST_STRESSED = 64;

export type DirectedBy = 'writer' | 'model' | 'rules';

export interface ScriptedLine {
  readonly id: string;
  readonly speaker: string;
  readonly text: string;
  /** The voice overrides the speaker's own. */
  readonly voice: string | null;
  /** The title of the chapter that this line begins. */
  readonly chapter: string | null;
  /** The writer's direction in words. */
  readonly note: string | null;
  readonly direction: LineDirection;
  readonly directed_by: DirectedBy | null;
  /** Another seed makes another take of the line. */
  readonly seed: number;
}

export const GENDERS = ['female', 'male'] as const;
export type Gender = (typeof GENDERS)[number];

export interface CastSpeaker {
  readonly name: string;
  readonly voice: string;
  readonly chosen_by: 'writer' | 'platform';
  readonly gender: Gender | null;
}

/** A warning reports where the parser deviated from the script. */
export interface Warning {
  readonly code: string;
  readonly message: string;
  /** The line number of the script, counted from 1. */
  readonly line?: number;
}

export interface CastScript {
  readonly id: string;
  readonly title: string;
  readonly language: string;
  readonly speakers: readonly CastSpeaker[];
  readonly pronunciations: readonly Pronunciation[];
  readonly warnings: readonly Warning[];
  readonly externalId: string | null;
  readonly revision: number;
  readonly lineCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const NARRATOR = 'Narrator';
