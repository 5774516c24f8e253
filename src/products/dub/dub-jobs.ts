import type { Admission, Principal } from '../../foundation/access/contract.ts';
import { type TenantScope, tenantScopeOf } from '../../foundation/access/index.ts';
import type { Billing } from '../../foundation/billing/contract.ts';
import {
  type JobQueue,
  type JobToEnqueue as QueuedJob,
  queueFor,
  type Trx,
} from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../foundation/platform/errors.ts';
import type { PageEnd } from '../../foundation/platform/pages.ts';
import { requireNoLegalHoldOn } from '../../foundation/privacy/index.ts';
import { type Blobs, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { DubJobRow, DubSegmentRow } from '../../foundation/storage/tables/dub.ts';
import { type CaptionFormat, captionsOf } from './captions.ts';
import { BY_CUSTOMER, type DubOutput, type DubRequest } from './contract.ts';
import {
  BLOB_AREA,
  dubReservationId,
  FETCH_QUEUE,
  MAX_ATTEMPTS,
  QUEUE,
  RESERVATION_MS,
  speechReservationId,
} from './keys-and-queues.ts';
import { type DubFilter, findDub, listDubs, segmentsOf, updateDub, updateSegment } from './store.ts';
import { type DubView, outputOf, type SegmentView, segmentOf, viewOf } from './views.ts';

export interface NewDub {
  readonly id: string;
  readonly principal: Principal;
  readonly admission: Admission;
  readonly source: string;
  readonly target: string;
  readonly request: DubRequest;
  readonly audioUrl: string | null;
  readonly externalId: string | null;
  readonly idempotencyKey: string | null;
  /** Stores the idempotent answer in the transaction that accepts the dub. */
  readonly keep: (transaction: Trx, view: DubView) => Promise<void>;
}

export interface SegmentChange {
  readonly number: number;
  readonly text?: string;
  /** A null translation is translated again. */
  readonly translation?: string | null;
  /** A null voice resets to the speaker's. */
  readonly voice?: string | null;
}

export const queuedDub = (
  queue: string,
  { id, org_id, environment }: Pick<DubJobRow, 'id' | 'org_id' | 'environment'>,
): QueuedJob => ({
  id,
  queue: queueFor(queue, environment),
  tenant: org_id,
  payload: null,
  maxAttempts: MAX_ATTEMPTS,
});

const queuedAnew = (row: DubJobRow): QueuedJob =>
  queuedDub(row.audio_url === null ? QUEUE : FETCH_QUEUE, row);

const notFound = (): ApiError => new NoSuchError('dub');
const UNDER_WAY: ReadonlySet<DubJobRow['status']> = new Set([
  'queued',
  'transcribing',
  'translating',
  'synthesizing',
]);

export interface DubJobsDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly billing: Billing;
}

export class DubJobs {
  readonly #deps: DubJobsDeps;

  constructor(deps: DubJobsDeps) {
    this.#deps = deps;
  }

  /** Accepts the dub, which ends in exactly one way from here on. */
  async submit(dub: NewDub): Promise<DubView> {
    const { storage, queue, billing } = this.#deps;
    const row = this.#rowOf(dub);
    const view = viewOf(row);
    await storage.transaction(async (trx) => {
      await dub.keep(trx, view);
      await withinTenant(trx, tenantScopeOf(dub.principal)).insertInto('dub_jobs', row).execute();
      await queue.enqueue(trx, queuedAnew(row));
      await billing.extendReservation(trx, dubReservationId(row.id), RESERVATION_MS);
    });
    dub.admission.handOver();
    return view;
  }

  async get(scope: TenantScope, id: string): Promise<DubView> {
    return viewOf(await this.#find(scope, id));
  }

  /** Returns one row more than `limit`, newest first. */
  async list(scope: TenantScope, query: DubFilter, start: PageEnd | null): Promise<DubView[]> {
    return (await listDubs(this.#deps.storage.db, scope, query, start)).map(viewOf);
  }

  async output(scope: TenantScope, id: string): Promise<DubOutput> {
    const row = await this.#find(scope, id);
    const output = outputOf(row);
    if (output === null) {
      const why = UNDER_WAY.has(row.status)
        ? 'the dub is still in progress.'
        : 'the file was removed or never created.';
      throw new ApiError('dub_not_ready', `There is nothing to download: ${why}`);
    }
    return output;
  }

  async segments(scope: TenantScope, id: string): Promise<readonly SegmentView[]> {
    await this.#find(scope, id);
    return (await segmentsOf(this.#deps.storage.db, scope, id)).map(segmentOf);
  }

  /** The language is the target unless the source is requested. */
  async captions(
    scope: TenantScope,
    id: string,
    language: string | undefined,
    format: CaptionFormat,
  ): Promise<string> {
    const row = await this.#find(scope, id);
    const wanted = language ?? row.target;
    if (wanted !== row.source && wanted !== row.target) {
      const message = `language must be ${row.source} or ${row.target}.`;
      throw new ApiError('invalid_request', message, { param: 'language' });
    }
    const segments = await segmentsOf(this.#deps.storage.db, scope, id);
    if (segments.length === 0)
      throw new ApiError('dub_not_ready', 'The recording has not been transcribed yet.');
    return captionsOf(row, segments, wanted, format);
  }

  /** Estimates how much speech the next render synthesizes. */
  async unspokenMs(scope: TenantScope, id: string): Promise<number> {
    await this.#find(scope, id);
    const unspoken = (await segmentsOf(this.#deps.storage.db, scope, id)).filter(
      ({ spoken }) => spoken === null,
    );
    return Math.max(
      1,
      unspoken.reduce((so, { start_ms, end_ms }) => so + end_ms - start_ms, 0),
    );
  }

  holdOfRender = speechReservationId;

  /** Applies all changes or none; changed segments are not spoken until the next render. */
  async change(
    scope: TenantScope,
    id: string,
    changes: readonly SegmentChange[],
  ): Promise<readonly SegmentView[]> {
    await this.#deps.storage.transaction(async (trx) => {
      this.#mustRest(await findDub(trx, scope, id));
      for (const change of changes) {
        if (await updateSegment(trx, scope, id, change.number, changed(change))) continue;
        const message = `There is no segment ${change.number}.`;
        throw new ApiError('invalid_request', message, { param: 'segments' });
      }
    });
    return await this.segments(scope, id);
  }

  /** Speaks the changed segments and mixes everything again. A dub that failed continues where it stopped. */
  async render(scope: TenantScope, id: string, admission: Admission): Promise<DubView> {
    const { storage, queue, billing } = this.#deps;
    const row = await storage.transaction(async (trx) => {
      const known = this.#mustRest(await findDub(trx, scope, id));
      if (known.audio_removed_at !== null) {
        throw new ApiError('dub_not_ready', 'The source recording of the dub was deleted: submit it again.');
      }
      const revision = known.status === 'done' ? known.revision + 1 : known.revision;
      const again = await updateDub(trx, scope, id, {
        status: 'queued',
        error: null,
        error_code: null,
        completed_at: null,
        progress: 0,
        revision,
      });
      await queue.replace(trx, queuedAnew(known));
      await billing.extendReservation(trx, speechReservationId(id), RESERVATION_MS);
      return again as DubJobRow;
    });
    admission.handOver();
    return viewOf(row);
  }

  /** Removes the dub and all of its files; a running attempt stops and can store nothing more. */
  async remove(scope: TenantScope, id: string): Promise<void> {
    const { storage, blobs, queue, billing } = this.#deps;
    await storage.transaction(async (trx) => {
      if (!(await findDub(trx, scope, id))) throw notFound();
      await requireNoLegalHoldOn(trx, scope, id);
      await queue.cancel(trx, id);
      await billing.releaseReservation(dubReservationId(id), trx);
      await billing.releaseReservation(speechReservationId(id), trx);
      await withinTenant(trx, scope).deleteFrom('dub_jobs').where('id', '=', id).execute();
    });
    await blobs.deleteOwner(BLOB_AREA, id);
    await storage.scrub();
  }

  async #find(scope: TenantScope, id: string): Promise<DubJobRow> {
    const row = await findDub(this.#deps.storage.db, scope, id);
    if (!row) throw notFound();
    return row;
  }

  #mustRest(row: DubJobRow | null): DubJobRow {
    if (!row) throw notFound();
    if (!UNDER_WAY.has(row.status)) return row;
    throw new ApiError('dub_not_ready', 'The dub is still in progress: update it when its status is done.');
  }

  #rowOf({
    id,
    principal,
    source,
    target,
    request,
    audioUrl,
    externalId,
    idempotencyKey,
  }: NewDub): DubJobRow {
    return {
      id,
      org_id: principal.orgId,
      project_id: principal.projectId,
      key_id: principal.keyId,
      environment: principal.environment,
      status: 'queued',
      source,
      target,
      request: JSON.stringify(request),
      audio_url: audioUrl,
      idempotency_key: idempotencyKey,
      external_id: externalId,
      max_bytes: principal.limits.jobUpload.bytes,
      max_seconds: principal.limits.jobUpload.seconds,
      media: null,
      speakers: null,
      duration_ms: null,
      progress: 0,
      revision: 1,
      output: null,
      error: null,
      error_code: null,
      created_at: this.#deps.clock.now(),
      started_at: null,
      completed_at: null,
      audio_removed_at: null,
    };
  }
}

/** A new text needs a new translation, unless the change brings one. */
function changed({ text, translation, voice }: SegmentChange): Partial<DubSegmentRow> {
  return {
    ...(text === undefined ? {} : { text, text_edited: 1, translation: null, translated_by: null }),
    ...(translation === undefined
      ? {}
      : { translation, translated_by: translation === null ? null : BY_CUSTOMER }),
    ...(voice === undefined ? {} : { voice }),
    spoken: null,
  };
}
