import type { Principal, TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOf, tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import {
  type PersonalDataStore,
  personalDataStoreOf,
  requireNoLegalHoldOn,
} from '../../foundation/privacy/index.ts';
import {
  acrossTenants,
  type BlobBody,
  type Blobs,
  type ByteRange,
  newestFirst,
  payerOf,
  type Storage,
  withinTenant,
} from '../../foundation/storage/index.ts';
import type { TelephonyVoicemailRow } from '../../foundation/storage/tables/telephony.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import { convertAudio } from '../../media/engine/index.ts';
import { requestOf, voicemailView } from './call-view.ts';
import type { TelephonyCallStore } from './telephony-call-store.ts';

export interface VoicemailTranscriber {
  /** The job reports by `heard` or `unheard`, in its transaction and with the id of `keep`. Throws ApiError. */
  submit(order: {
    readonly principal: Principal;
    readonly from: string;
    readonly wav: Buffer;
    readonly milliseconds: number;
    readonly keep: (trx: Trx, jobId: string) => Promise<void>;
  }): Promise<void>;
  forget(scope: TenantScope, jobId: string): Promise<void>;
  text(trx: Trx, scope: TenantScope, jobId: string): Promise<string>;
}

export interface VoicemailsOptions {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly records: Pick<TelephonyCallStore, 'find'>;
  readonly webhooks: Pick<Webhooks, 'publish'>;
  readonly hearing: VoicemailTranscriber;
  readonly wavOf: (pcm: Buffer) => Buffer;
}

export interface VoicemailFilter {
  readonly number_id?: string | undefined;
  readonly status?: TelephonyVoicemailRow['status'] | undefined;
}

type Outcome = Pick<TelephonyVoicemailRow, 'status' | 'error' | 'transcript'>;

export const VOICEMAIL_AREA = 'voicemails';
const BYTES_A_MS = 8;
const keyOf = (id: string) => ({ area: VOICEMAIL_AREA, owner: id, name: 'message.wav' });

export class Voicemails {
  readonly #options: VoicemailsOptions;

  constructor(options: VoicemailsOptions) {
    this.#options = options;
  }

  /** Runs in the transaction that completes the transcription. */
  async transcribed(trx: Trx, jobId: string): Promise<void> {
    const row = await this.#waiting(trx, jobId);
    if (row === null) return;
    const transcript = await this.#options.hearing.text(trx, tenantScopeOfRow(row), jobId);
    await this.#finish(trx, jobId, { status: 'completed', error: null, transcript });
  }

  /** Runs in the transaction that fails the transcription for good. */
  async transcriptionFailed(trx: Trx, jobId: string, error: string): Promise<void> {
    if ((await this.#waiting(trx, jobId)) === null) return;
    await this.#finish(trx, jobId, { status: 'failed', error, transcript: null });
  }

  async find(scope: TenantScope, id: string): Promise<TelephonyVoicemailRow> {
    const row = await withinTenant(this.#options.storage.db, scope)
      .selectFrom('telephony_voicemails')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw new NoSuchError('voicemail');
    return row;
  }

  async list(
    scope: TenantScope,
    query: PageQuery,
    { number_id: numberId, status }: VoicemailFilter,
    start: PageEnd | null,
  ): Promise<TelephonyVoicemailRow[]> {
    const all = withinTenant(this.#options.storage.db, scope).selectFrom('telephony_voicemails').selectAll();
    const ofNumber = numberId === undefined ? all : all.where('number_id', '=', numberId);
    const rows = status === undefined ? ofNumber : ofNumber.where('status', '=', status);
    return await newestFirst(rows, query, start).execute();
  }

  async sound({ id }: TelephonyVoicemailRow, range: ByteRange | null): Promise<BlobBody> {
    const body = await this.#options.blobs.get(keyOf(id), range ?? undefined);
    if (body === null)
      throw new ApiError(
        'not_found',
        'The recording of this voicemail was deleted after its retention period.',
      );
    return body;
  }

  /** Deletes the audio, the transcript and the job that made it. */
  async remove(scope: TenantScope, id: string): Promise<void> {
    const { job_id: jobId } = await this.find(scope, id);
    await requireNoLegalHoldOn(this.#options.storage.db, scope, id);
    await this.forget(scope, id, jobId);
  }

  async forget(scope: TenantScope, id: string, jobId: string | null): Promise<void> {
    const { storage, blobs, hearing } = this.#options;
    if (jobId !== null) await hearing.forget(scope, jobId);
    await blobs.deleteOwner(VOICEMAIL_AREA, id);
    await withinTenant(storage.db, scope).deleteFrom('telephony_voicemails').where('id', '=', id).execute();
    await storage.scrub();
  }

  async silence(scope: TenantScope, id: string): Promise<void> {
    const { storage, blobs } = this.#options;
    await blobs.deleteOwner(VOICEMAIL_AREA, id);
    await withinTenant(storage.db, scope)
      .updateTable('telephony_voicemails')
      .set({ bytes: null })
      .where('id', '=', id)
      .execute();
  }

  get personalData(): PersonalDataStore {
    return personalDataStoreOf(this.#options.storage, {
      table: 'telephony_voicemails',
      counted: 'voicemails',
      named: ['from_number'],
      remove: async (scope, id) => {
        const { job_id: jobId } = await this.find(scope, id);
        await this.forget(scope, id, jobId);
        return {};
      },
    });
  }

  /** The message is u-law at 8 kHz. */
  async keep(
    { id: callId, principal }: { readonly id: string; readonly principal: Principal },
    message: Uint8Array,
  ): Promise<void> {
    const { storage, records, hearing, wavOf, clock } = this.#options;
    const scope = tenantScopeOf(principal);
    const call = await records.find(scope, callId);
    if (call === null) return; // the call was erased meanwhile
    const milliseconds = Math.round(message.length / BYTES_A_MS);
    const wav = wavOf(convertAudio('pcmu', message, 'pcm16'));
    const row: Omit<TelephonyVoicemailRow, 'org_id' | 'project_id' | 'environment'> = {
      id: newId('vmail'),
      key_id: principal.keyId,
      number_id: call.number_id,
      call_id: callId,
      from_number: call.from_number,
      to_number: call.to_number,
      job_id: null,
      status: 'transcribing',
      error: null,
      duration_ms: milliseconds,
      bytes: null,
      transcript: null,
      webhook_url: requestOf(call).webhook_url ?? null,
      created_at: clock.now(),
      completed_at: null,
    };
    const insert = async (trx: Trx, job_id: string | null) => {
      await withinTenant(trx, scope)
        .insertInto('telephony_voicemails', { ...row, job_id })
        .execute();
    };
    try {
      row.bytes = await this.#store(scope, row.id, wav);
      const keep = (trx: Trx, jobId: string) => insert(trx, jobId);
      await hearing.submit({ principal, from: call.from_number, wav, milliseconds, keep });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The event is published in any case, with the audio where it could be stored.
      await storage.transaction(async (trx) => {
        await insert(trx, null);
        await this.#finish(trx, row.id, { status: 'failed', error: error.code, transcript: null }, 'id');
      });
    }
  }

  async #store(scope: TenantScope, id: string, wav: Buffer): Promise<number> {
    const one = async function* () {
      yield wav;
    };
    const payer = payerOf(scope, wav.length);
    const { bytes } = await this.#options.blobs.put(keyOf(id), one(), { payer, contentType: 'audio/wav' });
    return bytes;
  }

  async #waiting(trx: Trx, jobId: string): Promise<TelephonyVoicemailRow | null> {
    const row = await acrossTenants(trx)
      .selectFrom('telephony_voicemails')
      .selectAll()
      .where('job_id', '=', jobId)
      .where('status', '=', 'transcribing')
      .executeTakeFirst();
    return row ?? null;
  }

  async #finish(trx: Trx, of: string, outcome: Outcome, column: 'id' | 'job_id' = 'job_id'): Promise<void> {
    const row = await acrossTenants(trx)
      .updateTable('telephony_voicemails')
      .set({ ...outcome, completed_at: this.#options.clock.now() })
      .where(column, '=', of)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return;
    await this.#options.webhooks.publish(trx, {
      scope: tenantScopeOfRow(row),
      type: 'telephony.voicemail.received',
      data: voicemailView(row),
      resource: row.id,
      urls: row.webhook_url === null ? [] : [row.webhook_url],
    });
  }
}
