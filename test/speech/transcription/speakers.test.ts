import { expect, it } from 'vitest';
import type { SpeakerEmbedding } from '../../../src/speech/transcription/index.ts';
import { countSpeakers, speakersOf } from '../../../src/speech/transcription/run/speakers.ts';

const SIZE = 192;

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

type VoicedPiece = SpeakerEmbedding & { readonly vector: Float32Array };

/**
 * The embeddings are as the model gives them by telephone: a common part (the line, the language), the speaker's, and
 * noise. Cosines are about 0.7 within a speaker and 0.35 between two; the speakers' own directions are at 0.5 to each
 * other.
 */
function windowsOf(turns: readonly number[], narrow = true): VoicedPiece[] {
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
    return { start: at * 0.8, end: at * 0.8 + 0.8, alone: 0.8, narrow, vector: unit(vector) };
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

it('finds as many speakers as it is told, where voices are more alike or less than is usual', async () => {
  const turns = turnsOf(4, 80);
  const found = await speakersOf(windowsOf(turns), { speakers: 2 });
  expect(new Set(found).size).toBe(2);
  const alike = windowsOf(turnsOf(2, 40)).map((voice) => ({ ...voice, vector: unit(voice.vector) }));
  expect(new Set(await speakersOf(alike, { speakers: 1 })).size).toBe(1);
});

it('keeps a turn that is too short for a vector of its own beside the speaker before it', async () => {
  const voices: SpeakerEmbedding[] = windowsOf(turnsOf(2, 20));
  voices[7] = { ...(voices[7] as SpeakerEmbedding), alone: 0.1, vector: null };
  expect(await speakersOf(voices)).toEqual(turnsOf(2, 20));
});

it('counts the people of a sample', async () => {
  expect(await countSpeakers([])).toBe(0);
  expect(await countSpeakers(windowsOf(turnsOf(1, 12)))).toBe(1);
  expect(await countSpeakers(windowsOf(turnsOf(2, 20)))).toBe(2);
});

it('takes a cough for the speaker that it sounds most like', async () => {
  const turns = turnsOf(2, 40);
  const voices = windowsOf(turns);
  const odd = unit(
    Float32Array.from((voices[12] as VoicedPiece).vector, (x, i) => x + (i % 2 === 0 ? 0.2 : -0.2)),
  );
  voices[12] = { ...(voices[12] as VoicedPiece), vector: odd };
  expect(await speakersOf(voices)).toEqual(turns);
});

it('names nobody in silence, and one speaker in a single window', async () => {
  expect(await speakersOf([])).toEqual([]);
  expect(await speakersOf(windowsOf([0]))).toEqual([0]);
});

it('lets live calls have the thread while it groups hours of windows', async () => {
  const voices = windowsOf(turnsOf(3, 20_000));
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
