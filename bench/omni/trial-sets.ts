import type { SpeechClip } from '../../src/apps/caller/index.ts';
import { type Corpus, NOISE_DBFS, spread } from './corpus.ts';
import type { Program } from './program.ts';

export const interruptionSet = (corpus: Corpus, quick: boolean): SpeechClip[] =>
  spread(corpus.interruptions(), quick ? 12 : 100);

export const generatedBackchannels = (quick: boolean): number => (quick ? 27 : Number.POSITIVE_INFINITY);

export async function backchannelsOf(program: Program, corpus: Corpus, most: number): Promise<SpeechClip[]> {
  const real = spread(corpus.listening(), Math.ceil(most / 3));
  return [...real, ...(await corpus.generatedListening(program, most - real.length))];
}

export const noiseSet = (corpus: Corpus, quick: boolean): SpeechClip[] =>
  spread(
    [...corpus.noises({ most: 12, levels: NOISE_DBFS }), ...corpus.generatedNoises()],
    quick ? 24 : Number.POSITIVE_INFINITY,
  );

export const endpointQuestions = (quick: boolean): number => (quick ? 14 : 36);

/**
 * Callers say a few words, a sentence, or several: a third of the questions each is at most this many seconds long.
 */
export const TURN_SECONDS = [2, 4, 9] as const;
export const MOST_TURN_S = TURN_SECONDS[TURN_SECONDS.length - 1]!;

export const turnGroup = (seconds: number): number =>
  TURN_SECONDS.find((most) => seconds <= most) ?? MOST_TURN_S;

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
