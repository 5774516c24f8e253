import type { ScriptedBrain } from './brain.ts';
import { type Corpus, spread } from './corpus.ts';
import { type FalseInterruptionTrial, measureFalseInterruptions } from './false-interruptions.ts';
import { type Interruption, measureInterruptions } from './interruptions.ts';
import type { Program } from './program.ts';
import { backchannelsOf } from './trial-sets.ts';

export interface ClockTrial {
  readonly millionths: number;
  readonly interruptions: readonly Interruption[];
  readonly signs: readonly FalseInterruptionTrial[];
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
  const signs = await backchannelsOf(program, corpus, quick ? 2 : 12);
  const trials: ClockTrial[] = [];
  for (const millionths of quick ? [-100, 100] : MILLIONTHS) {
    const line = { echo: ECHO, millionths };
    const interruptions = await measureInterruptions(program, brain, clips, line);
    trials.push({ millionths, interruptions, signs: await measureFalseInterruptions(program, signs, line) });
  }
  return trials;
}
