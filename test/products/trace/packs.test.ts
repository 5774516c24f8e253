import { describe, expect, it } from 'vitest';
import {
  builtinPacks,
  checkPack,
  conversationOf,
  judge,
  tryExamples,
  wantedOf,
} from '../../../src/products/trace/index.ts';
import { absent, plainInputs, realInputs } from './judgement-inputs.ts';

const packs = builtinPacks();
const VERSIONS = [
  'HIPAA@1.0.0 8ad228b40fb96550435f4ef690d06e6c',
  'PII@1.0.0 5ea4deae42fe0bc745d03273a69f8de6',
  'TCPA@1.0.0 96e0bf2c150a24944d188c0c2eb5bd88',
  'brand-voice@1.0.0 da402929ca583ab40ca40cc480afb597',
];

// @requirement Trace: Each rule of the four built-in packs has an example that hits.
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

// @requirement Trace: Rules have bounded work.
it('says of a rule that explodes that it was too much work, and judges the others', async () => {
  const source = { title: 'house', date: '2026-11-24' };
  const common = { title: 'x', severity: 'low', source } as const;
  const pack = checkPack({
    pack_id: 'house',
    version: '1.0.0',
    title: 'House',
    jurisdiction: 'none',
    legal_status: 'house rules',
    rules: [
      { id: 'explodes', kind: 'regex', pattern: '(a|aa|[a-z]{1,20}){1,40}!', ...common },
      { id: 'plain', kind: 'phrase', phrases: { en: ['the end'] }, ...common },
    ],
  });
  const utterances = [{ speaker: 'agent' as const, text: `${'a'.repeat(290_000)} the end` }];
  const from = { kind: 'transcript' as const, id: null };
  const conversation = conversationOf({ source: from, language: 'en', utterances });
  const applied = [{ id: 'tpack_x', pack }];
  const { results, unjudged } = judge(
    conversation,
    applied,
    await plainInputs().learn(wantedOf(conversation, applied)),
  );
  expect(unjudged).toEqual([{ pack_id: 'house', rule_id: 'explodes', reason: 'too_much_work' }]);
  expect(results.map(({ rule_id }) => rule_id)).toEqual(['plain']);
});

// @requirement Trace: Versions of built-in packs never change.
/** A version never changes: a changed rule of a built-in pack needs a new version number. */
it('are of these versions, to the letter', () => {
  const versions = packs.map(({ pack, etag }) => `${pack.pack_id}@${pack.version} ${etag}`);
  expect(versions).toEqual(VERSIONS);
});

describe.skipIf(absent)('with sounds and meanings', () => {
  it.each(packs.map(({ pack }) => [pack.pack_id, pack] as const))(
    '%s holds its examples',
    async (_name, pack) => {
      const trials = await tryExamples(pack, await realInputs());
      expect(trials.filter(({ passed }) => !passed)).toEqual([]);
      expect(trials.length).toBeGreaterThan(5);
    },
    180_000,
  );
});
