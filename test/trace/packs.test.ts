/** The built-in packs hold their own examples, and say where each rule comes from. */
import { describe, expect, it } from 'vitest';
import { builtinPacks, tryExamples } from '../../src/trace/index.ts';
import { absent, realSenses } from './senses.ts';

const packs = builtinPacks();

it('are the four, each rule with an example that hits', () => {
  expect(packs.map(({ pack }) => pack.pack_id)).toEqual(['HIPAA', 'PII', 'TCPA', 'brand-voice']);
  for (const { id, pack } of packs) {
    expect(id).toMatch(/^tpack_[0-9A-Za-z]{20}$/);
    for (const rule of pack.rules)
      expect(
        (rule.examples ?? []).map(({ expect: wanted }) => wanted),
        rule.id,
      ).toContain('hit');
  }
});

describe.skipIf(absent)('with sounds and meanings', () => {
  it.each(packs.map(({ pack }) => [pack.pack_id, pack] as const))(
    '%s holds its examples',
    async (_name, pack) => {
      const trials = await tryExamples(pack, await realSenses());
      expect(trials.filter(({ passed }) => !passed)).toEqual([]);
      expect(trials.length).toBeGreaterThan(5);
    },
    180_000,
  );
});
