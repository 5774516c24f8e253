/** Which sounds are played in which part: the peers are judged by the same. */

import type { SpeechClip } from '../../src/apps/caller/index.ts';
import { type Corpus, NOISE_DBFS, spread } from './corpus.ts';
import type { Program } from './program.ts';

export const interruptionSet = (corpus: Corpus, quick: boolean): SpeechClip[] =>
  spread(corpus.interruptions(), quick ? 12 : 100);

/** How many signs of listening are generated. */
export const generatedBackchannels = (quick: boolean): number => (quick ? 27 : Number.POSITIVE_INFINITY);

/** So many signs of listening: a third of people, the rest generated. */
export async function backchannelsOf(program: Program, corpus: Corpus, most: number): Promise<SpeechClip[]> {
  const real = spread(corpus.listening(), Math.ceil(most / 3));
  return [...real, ...(await corpus.generatedListening(program, most - real.length))];
}

export const noiseSet = (corpus: Corpus, quick: boolean): SpeechClip[] =>
  spread(
    [...corpus.noises({ most: 12, levels: NOISE_DBFS }), ...corpus.generatedNoises()],
    quick ? 24 : Number.POSITIVE_INFINITY,
  );

/** How many questions are asked of a scripted brain. */
export const endpointQuestions = (quick: boolean): number => (quick ? 14 : 36);

export const questionSet = (corpus: Corpus, count: number): SpeechClip[] =>
  corpus.speech(({ text, seconds }) => text.split(' ').length >= 3 && seconds >= 1 && seconds <= 6, count);
