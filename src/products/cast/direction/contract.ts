import type { LineDirection, ScriptedLine } from '../contract.ts';

export interface Directing {
  readonly title: string;
  readonly language: string;
  readonly lines: readonly ScriptedLine[];
  readonly emotions: (line: ScriptedLine) => readonly string[];
  readonly stresses: (line: ScriptedLine) => boolean;
}

export interface Directed {
  readonly direction: LineDirection;
  readonly by: 'model' | 'rules';
}
