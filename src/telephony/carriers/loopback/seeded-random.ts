import { randomFrom } from '../../../foundation/platform/seeded-random.ts';

/** Numbers of 0..1 that are the same for the same text. */
export function seededRandom(seed: string): () => number {
  let state = 0;
  for (const character of seed) state = (Math.imul(state, 31) + character.charCodeAt(0)) >>> 0;
  return randomFrom(state);
}
