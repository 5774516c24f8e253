import type { Reach } from '../../foundation/access/contract.ts';
import { expiring, type RetentionDeps, RetentionSweep } from '../../foundation/privacy/index.ts';
import { within } from '../../foundation/storage/index.ts';
import type { Evidence, Verdict } from './contract.ts';

/** Removes what was said in judged calls, and how it sounded, once it is old enough; verdict and times stay. */
export const wordsSweep = (deps: RetentionDeps): RetentionSweep =>
  new RetentionSweep(deps, [
    expiring({
      table: 'amd_calls',
      counted: 'amd_transcripts',
      left: ['words_removed_at', 'is', null],
      remove: (reach, id) => forgetWords(deps, reach, id),
    }),
  ]);

async function forgetWords({ storage, clock }: RetentionDeps, reach: Reach, id: string): Promise<void> {
  const mine = within(storage.db, reach);
  const { evidence, verdict } = await mine
    .selectFrom('amd_calls')
    .select(['evidence', 'verdict'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  await mine
    .updateTable('amd_calls')
    .set({
      transcript: null,
      fingerprint: null,
      evidence: JSON.stringify(withoutWords(JSON.parse(evidence) as Evidence[])),
      verdict: JSON.stringify(unquoted(JSON.parse(verdict) as Verdict)),
      words_removed_at: clock.now(),
    })
    .where('id', '=', id)
    .execute();
}

const withoutWords = (evidence: readonly Evidence[]): Evidence[] =>
  evidence.filter(({ kind }) => kind !== 'words');

/** Reasons stay by their names and weights; those that quote what was said lose the quotation. */
const unquoted = (verdict: Verdict): Verdict => ({
  ...verdict,
  because: verdict.because.map((cue) => (cue.code.endsWith('_words') ? { ...cue, detail: '' } : cue)),
});
