/** Whether an agent is as patient and as quick to yield when the engine serves other calls besides. */

import type { Clip } from '../../src/caller/index.ts';
import type { ScriptedBrain } from './brain.ts';
import type { Corpus } from './corpus.ts';
import { type FalseCutTrial, measureFalseCuts } from './false-cuts.ts';
import { type Interruption, measureInterruptions } from './interruptions.ts';
import type { Program } from './program.ts';
import { dealt, NOTED, PERSONA, SPOKEN, talk } from './sessions.ts';

export interface CrowdLevel {
  /** In one of which the trials are made, while the others ask and are answered. */
  readonly calls: number;
  readonly falseCuts: FalseCutTrial[];
  readonly interruptions: Interruption[];
}

export async function measureCrowd(
  program: Program,
  brain: ScriptedBrain,
  corpus: Corpus,
  calls: number,
  signs: readonly Clip[],
  said: readonly Clip[],
): Promise<CrowdLevel> {
  brain.answers.set(PERSONA, NOTED);
  const asked = corpus.speech(({ text, seconds }) => text.split(' ').length >= 3 && seconds <= 5, SPOKEN);
  let over = false;
  const questions = dealt(asked, () => !over);
  const others = Array.from({ length: calls - 1 }, (_, at) => talk(program, questions, at));
  try {
    const interruptions = await measureInterruptions(program, brain, said);
    return { calls, interruptions, falseCuts: await measureFalseCuts(program, signs) };
  } finally {
    over = true;
    await Promise.all(others);
  }
}
