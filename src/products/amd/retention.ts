import type { TenantScope } from '../../foundation/access/contract.ts';
import { RetentionSweep, type RetentionSweepOptions, retentionRule } from '../../foundation/privacy/index.ts';
import { withinTenant } from '../../foundation/storage/index.ts';
import type { AnswerVerdict, Evidence } from '../../speech/amd/index.ts';

/** Removes the words and acoustic features of judged calls after their retention; verdict and times stay. */
export const wordsSweep = (deps: RetentionSweepOptions): RetentionSweep =>
  new RetentionSweep(deps, [
    retentionRule({
      table: 'amd_calls',
      counted: 'amd_transcripts',
      whereRemaining: ['words_removed_at', 'is', null],
      remove: (scope, id) => forgetWords(deps, scope, id),
    }),
  ]);

async function forgetWords(
  { storage, clock }: RetentionSweepOptions,
  scope: TenantScope,
  id: string,
): Promise<void> {
  const mine = withinTenant(storage.db, scope);
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
      verdict: JSON.stringify(unquoted(JSON.parse(verdict) as AnswerVerdict)),
      words_removed_at: clock.now(),
    })
    .where('id', '=', id)
    .execute();
}

const withoutWords = (evidence: readonly Evidence[]): Evidence[] =>
  evidence.filter(({ kind }) => kind !== 'words');

/** Reasons keep their names and weights and lose their quotations. */
const unquoted = (verdict: AnswerVerdict): AnswerVerdict => ({
  ...verdict,
  because: verdict.because.map((cue) => (cue.code.endsWith('_words') ? { ...cue, detail: '' } : cue)),
});
