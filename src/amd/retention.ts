import type { RetentionDays } from '../access/index.ts';
import { record, SYSTEM } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Repeating, repeat } from '../platform/repeat.ts';
import { acrossBorders, type Storage } from '../storage/index.ts';
import type { Evidence, Verdict } from './contract.ts';

const DAY_MS = 24 * 3600 * 1000;
const SWEEP_EVERY_MS = 3600 * 1000;
const AT_ONCE = 100;

export interface WordsSweepDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  /** How long an organization's data is kept. */
  readonly retention: (orgId: string) => Promise<Pick<RetentionDays, 'transcript'>>;
  readonly onError?: (error: unknown) => void;
}

interface Kept {
  readonly id: string;
  readonly evidence: string;
  readonly verdict: string;
}

/** Removes what was said in judged calls, and how it sounded, once it is old enough; verdict and times stay. */
export class WordsSweep {
  readonly #deps: WordsSweepDeps;
  #sweeping: Repeating | null = null;

  constructor(deps: WordsSweepDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { clock, onError } = this.#deps;
    this.#sweeping = repeat(clock, () => this.sweep(), { everyMs: SWEEP_EVERY_MS, onError });
  }

  stop(): void {
    void this.#sweeping?.stop();
  }

  async sweep(): Promise<void> {
    for (let org = await this.#nextOrg(''); org !== null; org = await this.#nextOrg(org)) {
      const { transcript } = await this.#deps.retention(org);
      const before = this.#deps.clock.now() - transcript * DAY_MS;
      let swept = 0;
      for (let some = AT_ONCE; some === AT_ONCE; swept += some) some = await this.#sweepSome(org, before);
      if (swept > 0) await this.#report(org, { amd_transcripts: swept });
    }
  }

  #report(orgId: string, after: Record<string, number>): Promise<void> {
    const { storage, clock } = this.#deps;
    const deed = { orgId, by: SYSTEM, action: 'retention.swept', target: orgId, before: null, after };
    return storage.transaction((trx) => record(trx, clock.now(), deed));
  }

  async #nextOrg(after: string): Promise<string | null> {
    const row = await acrossBorders(this.#deps.storage.db)
      .selectFrom('amd_calls')
      .select('org_id')
      .where('words_removed_at', 'is', null)
      .where('org_id', '>', after)
      .orderBy('org_id')
      .limit(1)
      .executeTakeFirst();
    return row?.org_id ?? null;
  }

  async #sweepSome(org: string, before: number): Promise<number> {
    const rows = await acrossBorders(this.#deps.storage.db)
      .selectFrom('amd_calls')
      .select(['id', 'evidence', 'verdict'])
      .where('words_removed_at', 'is', null)
      .where('org_id', '=', org)
      .where('created_at', '<', before)
      .where('id', 'not in', (held) => held.selectFrom('legal_holds').select('record'))
      .orderBy('created_at')
      .limit(AT_ONCE)
      .execute();
    for (const row of rows) await this.#forget(row);
    return rows.length;
  }

  async #forget({ id, evidence, verdict }: Kept): Promise<void> {
    const { storage, clock } = this.#deps;
    await acrossBorders(storage.db)
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
}

const withoutWords = (evidence: readonly Evidence[]): Evidence[] =>
  evidence.filter(({ kind }) => kind !== 'words');

/** Reasons stay by their names and weights; those that quote what was said lose the quotation. */
const unquoted = (verdict: Verdict): Verdict => ({
  ...verdict,
  because: verdict.because.map((cue) => (cue.code.endsWith('_words') ? { ...cue, detail: '' } : cue)),
});
