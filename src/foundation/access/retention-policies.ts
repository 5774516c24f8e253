import { type AuditActor, appendAuditRecord, SYSTEM_ACTOR } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { NoSuchError } from '../platform/errors.ts';
import type { Storage } from '../storage/index.ts';

export interface RetentionDays {
  readonly jobAudio: number;
  readonly transcript: number;
  readonly transcriptOffload: number;
  readonly recording: number;
  readonly compliance: number | null;
}

export const DEFAULT_RETENTION: RetentionDays = {
  jobAudio: 7,
  transcript: 365,
  transcriptOffload: 30,
  recording: 90,
  compliance: null,
};

const UNSET = {
  job_audio_days: null,
  transcript_days: null,
  transcript_offload_days: null,
  recording_days: null,
  compliance_days: null,
};
const COLUMNS = Object.keys(UNSET) as (keyof typeof UNSET)[];

/** A kind set to null follows the deployment's default. */
export type RetentionChange = { readonly [Kind in keyof RetentionDays]?: number | null };

export class RetentionPolicies {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  async of(orgId: string): Promise<RetentionDays> {
    const row = await this.#storage.db
      .selectFrom('retention')
      .selectAll()
      .where('org_id', '=', orgId)
      .executeTakeFirst();
    return {
      jobAudio: row?.job_audio_days ?? DEFAULT_RETENTION.jobAudio,
      transcript: row?.transcript_days ?? DEFAULT_RETENTION.transcript,
      transcriptOffload: row?.transcript_offload_days ?? DEFAULT_RETENTION.transcriptOffload,
      recording: row?.recording_days ?? DEFAULT_RETENTION.recording,
      compliance: row?.compliance_days ?? DEFAULT_RETENTION.compliance,
    };
  }

  async change(orgId: string, changed: RetentionChange, by: AuditActor = SYSTEM_ACTOR): Promise<void> {
    const { jobAudio, transcript, transcriptOffload, recording, compliance } = changed;
    const set = {
      ...(jobAudio === undefined ? {} : { job_audio_days: jobAudio }),
      ...(transcript === undefined ? {} : { transcript_days: transcript }),
      ...(transcriptOffload === undefined ? {} : { transcript_offload_days: transcriptOffload }),
      ...(recording === undefined ? {} : { recording_days: recording }),
      ...(compliance === undefined ? {} : { compliance_days: compliance }),
    };
    await this.#storage.transaction(async (transaction) => {
      const organization = await transaction
        .selectFrom('organizations')
        .select('id')
        .where('id', '=', orgId)
        .executeTakeFirst();
      if (!organization) throw new NoSuchError('organization');
      const before = await transaction
        .selectFrom('retention')
        .select(COLUMNS)
        .where('org_id', '=', orgId)
        .executeTakeFirst();
      await transaction
        .insertInto('retention')
        .values({ org_id: orgId, ...UNSET, ...set })
        .onConflict((conflict) => conflict.column('org_id').doUpdateSet(set))
        .execute();
      await appendAuditRecord(transaction, this.#clock.now(), {
        orgId,
        by,
        action: 'retention.changed',
        target: orgId,
        before: before ?? null,
        after: { ...UNSET, ...before, ...set },
      });
    });
  }
}
