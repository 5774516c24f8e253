import { askPython } from '../harness/peer-python.ts';

export type Sample =
  | { readonly model: 'dnsmos' | 'plcmos'; readonly file: string }
  | {
      readonly model: 'aecmos';
      readonly lpb: string;
      readonly mic: string;
      readonly enh: string;
      /** The far end alone speaks, or both ends do. */
      readonly talk: 'st' | 'dt';
    };

export type Scores = Readonly<Record<string, number>>;

const SPEECHMOS = { name: 'speechmos', folder: 'sound-quality', program: 'score.py' } as const;

/** Returns what the models of `speechmos` give each sample, from 1 to 5, in order. */
export function scored(samples: readonly Sample[]): Scores[] {
  return JSON.parse(askPython(SPEECHMOS, samples).at(-1) as string) as Scores[];
}
