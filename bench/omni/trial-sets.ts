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

/** Callers say a few words, a sentence, or several: turns of these seconds at most are a third of the questions each. */
export const TURN_SECONDS = [2, 4, 9] as const;
export const MOST_TURN_S = TURN_SECONDS[TURN_SECONDS.length - 1]!;

/** The longest turn of the group that a turn belongs to. */
export const turnGroup = (seconds: number): number =>
  TURN_SECONDS.find((most) => seconds <= most) ?? MOST_TURN_S;

/** Turns of each length in turn, so that any number of them is of all lengths. */
export function questionSet(corpus: Corpus, count: number): SpeechClip[] {
  const each = Math.ceil(count / TURN_SECONDS.length);
  const groups = TURN_SECONDS.map((most, at) => {
    const least = TURN_SECONDS[at - 1] ?? 1;
    return corpus.speech(
      ({ text, seconds }) => text.split(' ').length >= 3 && seconds > least && seconds <= most,
      each,
    );
  });
  return Array.from({ length: each }, (_, turn) => groups.flatMap((group) => group.slice(turn, turn + 1)))
    .flat()
    .slice(0, count);
}
