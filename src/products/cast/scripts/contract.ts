import type { LineDirection, Warning } from '../contract.ts';

export const FORMATS = ['dialogue', 'fountain', 'ssml', 'srt', 'vtt'] as const;
export type ScriptFormat = (typeof FORMATS)[number];

export interface ScriptLine {
  readonly speaker: string;
  readonly text: string;
  readonly voice?: string;
  readonly chapter?: string;
  readonly note?: string;
  readonly direction?: LineDirection;
}

export interface Script {
  readonly lines: readonly ScriptLine[];
  readonly warnings: readonly Warning[];
}
