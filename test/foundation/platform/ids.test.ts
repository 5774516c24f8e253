import { expect, it } from 'vitest';
import { isId, newId, randomBase62 } from '../../../src/foundation/platform/ids.ts';

it('makes ids of a prefix and 20 base-62 characters', () => {
  expect(newId('ocl')).toMatch(/^ocl_[A-Za-z0-9]{20}$/);
  expect(isId('ocl', newId('ocl'))).toBe(true);
  expect(isId('job', newId('ocl'))).toBe(false);
});

it('uses every character of the alphabet about equally', () => {
  const counts = new Map<string, number>();
  for (const character of randomBase62(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  for (const count of counts.values()) expect(count).toBeGreaterThan(800);
});
