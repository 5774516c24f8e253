import { expect, it } from 'vitest';
import type { SpeakerEmbedding } from '../../../src/speech/transcription/index.ts';
import { speakersOf } from '../../../src/speech/transcription/run/speakers.ts';

const SIZE = 256;

/** Always the same. */
function randomly(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

const unit = (vector: Float32Array): Float32Array => {
  const length = Math.hypot(...vector);
  return vector.map((x) => x / length);
};

/** Windows as the model gives them: what all share (the line, the language), what is the speaker's, and chance. Cosines
 * are about 0.7 within a speaker and 0.35 between two; the speakers' own directions are at 0.5 to each other. */
function windowsOf(turns: readonly number[]): SpeakerEmbedding[] {
  const random = randomly(1);
  const direction = (): Float32Array => unit(Float32Array.from({ length: SIZE }, random));
  const shared = direction();
  const own = Array.from({ length: 1 + Math.max(...turns) }, direction);
  return turns.map((speaker, at) => {
    const chance = direction();
    const vector = shared.map(
      (x, i) =>
        0.59 * x + 0.59 * ((own[speaker] as Float32Array)[i] as number) + 0.55 * (chance[i] as number),
    );
    return { start: at * 0.8, end: at * 0.8 + 1.6, vector: unit(vector) };
  });
}

const turnsOf = (speakers: number, windows: number): number[] =>
  Array.from({ length: windows }, (_, at) => Math.floor(at / 5) % speakers);

it.each([
  [1, 40],
  [2, 10],
  [2, 120],
  [4, 200],
  [3, 3000],
])(
  'tells %i speakers apart in %i windows, and names them as they are first heard',
  async (speakers, windows) => {
    const turns = turnsOf(speakers, windows);
    expect(await speakersOf(windowsOf(turns))).toEqual(turns);
  },
);

it('takes a cough for the speaker that it sounds most like', async () => {
  const turns = turnsOf(2, 40);
  const voices = windowsOf(turns);
  const odd = unit(
    Float32Array.from((voices[12] as SpeakerEmbedding).vector, (x, i) => x + (i % 2 === 0 ? 0.2 : -0.2)),
  );
  voices[12] = { ...(voices[12] as SpeakerEmbedding), vector: odd };
  expect(await speakersOf(voices)).toEqual(turns);
});

it('names nobody in silence, and one speaker in a single window', async () => {
  expect(await speakersOf([])).toEqual([]);
  expect(await speakersOf(windowsOf([0]))).toEqual([0]);
});

it('lets live calls have the thread while it groups hours of windows', async () => {
  const voices = windowsOf(turnsOf(3, 6000));
  let grouped = false;
  const grouping = speakersOf(voices).then(() => {
    grouped = true;
  });
  let turns = 0;
  while (!grouped) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  await grouping;
  expect(turns).toBeGreaterThan(10);
});
