/** Interruptions under an echo, by callers whose sound cards' clocks run beside the server's. */
import type { ScriptedBrain } from './brain.ts';
import { type Corpus, spread } from './corpus.ts';
import { type FalseCutTrial, measureFalseCuts } from './false-cuts.ts';
import { type Interruption, measureInterruptions } from './interruptions.ts';
import type { Program } from './program.ts';
import { signsOf } from './trial-sets.ts';

export interface ClockTrial {
  /** By which the caller's second is longer. */
  readonly millionths: number;
  readonly interruptions: readonly Interruption[];
  readonly signs: readonly FalseCutTrial[];
}

export const ECHO = { db: -20, delayMs: 120 };
const MILLIONTHS = [-100, -50, -20, 0, 20, 50, 100];

export async function measureClocks(
  program: Program,
  brain: ScriptedBrain,
  corpus: Corpus,
  quick: boolean,
): Promise<ClockTrial[]> {
  const clips = spread(corpus.interruptions(), quick ? 2 : 12);
  const signs = await signsOf(program, corpus, quick ? 2 : 12);
  const trials: ClockTrial[] = [];
  for (const millionths of quick ? [-100, 100] : MILLIONTHS) {
    const line = { echo: ECHO, millionths };
    const interruptions = await measureInterruptions(program, brain, clips, line);
    trials.push({ millionths, interruptions, signs: await measureFalseCuts(program, signs, line) });
  }
  return trials;
}
