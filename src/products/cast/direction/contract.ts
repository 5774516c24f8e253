import type { Direction, Line } from '../contract.ts';

/** What is directed, with what stands around it. */
export interface Directing {
  readonly title: string;
  readonly language: string;
  readonly lines: readonly Line[];
  /** Emotions that each line's voice has. */
  readonly emotions: (line: Line) => readonly string[];
  /** Whether each line's voice stresses words. */
  readonly stresses: (line: Line) => boolean;
}

export interface Directed {
  readonly direction: Direction;
  readonly by: 'model' | 'rules';
}
