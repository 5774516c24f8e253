import type { SpeechClip } from '../../src/apps/caller/index.ts';
import type { ScriptedBrain } from './brain.ts';
import type { Corpus } from './corpus.ts';
import { type FalseInterruptionTrial, measureFalseInterruptions } from './false-interruptions.ts';
import { type Interruption, measureInterruptions } from './interruptions.ts';
import type { Program } from './program.ts';
import { dealt, NOTED, PERSONA, SPOKEN, talk } from './sessions.ts';

export interface CrowdLevel {
  readonly calls: number;
  readonly falseCuts: FalseInterruptionTrial[];
  readonly asked: number;
  readonly gapsMs: readonly number[];
  readonly interruptions: Interruption[];
}

export async function measureCrowd(
  program: Program,
  brain: ScriptedBrain,
  corpus: Corpus,
  calls: number,
  signs: readonly SpeechClip[],
  said: readonly SpeechClip[],
): Promise<CrowdLevel> {
  brain.answers.set(PERSONA, NOTED);
  const asked = corpus.speech(({ text, seconds }) => text.split(' ').length >= 3 && seconds <= 5, SPOKEN);
  let over = false;
  const questions = dealt(asked, () => !over);
  const others = Promise.allSettled(
    Array.from({ length: calls - 1 }, (_, at) => talk(program, questions, at)),
  );
  const trials = { interruptions: [] as Interruption[], falseCuts: [] as FalseInterruptionTrial[] };
  try {
    trials.interruptions = await measureInterruptions(program, brain, said);
    trials.falseCuts = await measureFalseInterruptions(program, signs);
  } finally {
    over = true;
    await others;
  }
  const talks = (await others).map((one) => {
    if (one.status === 'rejected') throw one.reason;
    if (one.value.gaps.length === 0) throw new Error('a call of the crowd was never answered');
    return one.value;
  });
  const gapsMs = talks.flatMap(({ gaps }) => gaps.map(({ wholeMs }) => wholeMs));
  const unanswered = talks.reduce((sum, one) => sum + one.early.length + one.unanswered, 0);
  return { calls, ...trials, asked: gapsMs.length + unanswered, gapsMs };
}
