import { SeededRandom } from '../../src/apps/caller/index.ts';

/** The name seeds the randomness: a trial's audio stays the same when others are added or removed. */
export function chanceOf(name: string): SeededRandom {
  let hash = 2166136261;
  for (const letter of name) hash = Math.imul(hash ^ letter.codePointAt(0)!, 16777619);
  const chance = new SeededRandom(hash >>> 0);
  for (let round = 0; round < 8; round++) chance.bits();
  return chance;
}
