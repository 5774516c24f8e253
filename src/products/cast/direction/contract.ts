import type { LineDirection, ScriptedLine } from '../contract.ts';

export interface Directing {
  readonly title: string;
  readonly language: string;
  readonly lines: readonly ScriptedLine[];
  /** Emotions that each line's voice has. */
  readonly emotions: (line: ScriptedLine) => readonly string[];
  /** Whether each line's voice stresses words. */
  readonly stresses: (line: ScriptedLine) => boolean;
}

export interface Directed {
  readonly direction: LineDirection;
  readonly by: 'model' | 'rules';
}
