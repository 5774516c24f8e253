import type { Admission, Principal, TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../foundation/access/index.ts';
import type { Billing } from '../../foundation/billing/contract.ts';
import type { JobQueue, Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../foundation/platform/errors.ts';
import { isId, newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { requireNoLegalHoldOn } from '../../foundation/privacy/index.ts';
import {
  type BlobBody,
  type Blobs,
  type ByteRange,
  newestFirst,
  type Storage,
  withinTenant,
} from '../../foundation/storage/index.ts';
import type { CastRenderRow } from '../../foundation/storage/tables/cast.ts';
import type { ServedVoice } from '../../speech/voices/index.ts';
import { audioKey, BLOB_AREA } from './blobs.ts';
import type { CastVoices } from './casting/index.ts';
import type { ProjectWithLines, WithProjectTransaction } from './projects.ts';
import { queuedRender } from './queue.ts';
import {
  type CaptionFormat,
  CONTENT_TYPES,
  captionsOf,
  checkFormat,
  estimateOf,
  planOf,
  RESERVATION_MS,
  type RenderPlan,
  type RenderRequest,
  type RenderResult,
  renderReservationId,
  tooLong,
} from './rendering/index.ts';

export interface RendersDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly billing: Billing;
  readonly voices: CastVoices;
  readonly ffmpeg: string | null;
}

const notFound = (): ApiError => new NoSuchError('render');

/**
 * Estimates are rather too long, so only a plan of twice the limit is refused early; others are refused once
 * synthesized.
 */
const SURELY_TOO_LONG = 2;

/** Refuses before hours of speech are synthesized that would be refused afterwards. */
function mustFit(plan: RenderPlan, mostSeconds: number): void {
  const estimate = plan.lines.reduce((so, line) => so + estimateOf(line) + Math.max(0, line.pauseMs), 0);
  if (estimate > SURELY_TOO_LONG * mostSeconds * 1000)
    throw new ApiError('payload_too_large', `The render would be ${tooLong(estimate, mostSeconds * 1000)}`);
}

export class Renders {
  readonly #deps: RendersDeps;

  constructor(deps: RendersDeps) {
    this.#deps = deps;
  }

  newId(): string {
    return newId('rend');
  }

  async prepare(
    scope: TenantScope,
    { project, lines }: ProjectWithLines,
    request: RenderRequest,
    mostSeconds: number,
  ) {
    checkFormat(request.format, this.#deps.ffmpeg);
    if (lines.length === 0)
      throw new ApiError('invalid_request', 'The project has no lines.', { param: 'id' });
    const names = new Set([
      ...project.speakers.map(({ voice }) => voice),
      ...lines.flatMap(({ voice }) => voice ?? []),
    ]);
    const voices = new Map<string, ServedVoice>();
    for (const name of names) voices.set(name, await this.#deps.voices.resolve(scope, name, 'voice'));
    const shared = await this.#deps.voices.pronunciations(scope, project.language);
    const plan = planOf(project, lines, voices, shared);
    mustFit(plan, mostSeconds);
    const spoken = await withinTenant(this.#deps.storage.db, scope)
      .selectFrom('cast_takes')
      .select('take')
      .where('cast_id', '=', project.id)
      .where('billed', '=', 1)
      .execute();
    const paid = new Set(spoken.map(({ take }) => take));
    const open = plan.lines.filter(({ take }) => !paid.has(take));
    return {
      plan,
      milliseconds: Math.max(
        1,
        open.reduce((so, line) => so + estimateOf(line), 0),
      ),
    };
  }

  /** Accepts the render, which ends in exactly one way from here on. */
  async submit(
    order: {
      readonly id: string;
      readonly castId: string;
      readonly principal: Principal;
      readonly admission: Admission;
      readonly request: RenderRequest;
      readonly plan: RenderPlan;
    },
    keep: WithProjectTransaction<CastRenderRow>,
  ): Promise<CastRenderRow> {
    const { id, principal } = order;
    const scope = tenantScopeOf(principal);
    const row = this.#rowOf(order);
    await this.#deps.storage.transaction(async (trx) => {
      await keep(trx, row);
      await withinTenant(trx, scope).insertInto('cast_renders', row).execute();
      await this.#deps.queue.enqueue(trx, queuedRender(row));
      await this.#deps.billing.extendReservation(trx, renderReservationId(id), RESERVATION_MS);
    });
    order.admission.handOver();
    return row;
  }

  async get(scope: TenantScope, id: string): Promise<CastRenderRow> {
    return await this.#find(this.#deps.storage.db, scope, id);
  }

  /** Returns one row more than `limit`, newest first. */
  async list(
    scope: TenantScope,
    castId: string,
    query: PageQuery & { readonly status?: CastRenderRow['status'] | undefined },
    start: PageEnd | null,
  ) {
    const all = withinTenant(this.#deps.storage.db, scope)
      .selectFrom('cast_renders')
      .selectAll()
      .where('cast_id', '=', castId);
    const rows = query.status === undefined ? all : all.where('status', '=', query.status);
    return await newestFirst(rows, query, start).execute();
  }

  /** A render that has ended stays as it is. */
  async cancel(scope: TenantScope, id: string): Promise<CastRenderRow> {
    return await this.#deps.storage.transaction(async (trx) => {
      await this.#find(trx, scope, id);
      const row = await withinTenant(trx, scope)
        .updateTable('cast_renders')
        .set({ status: 'cancelled', completed_at: this.#deps.clock.now() })
        .where('id', '=', id)
        .where('status', 'in', ['queued', 'rendering'])
        .executeTakeFirst();
      if (row.numUpdatedRows > 0n) await this.#end(trx, id);
      return await this.#find(trx, scope, id);
    });
  }

  async remove(scope: TenantScope, id: string): Promise<void> {
    await this.#deps.storage.transaction(async (trx) => {
      const { cast_id: castId } = await this.#find(trx, scope, id);
      for (const record of [id, castId]) await requireNoLegalHoldOn(trx, scope, record);
      await this.#end(trx, id);
      await withinTenant(trx, scope).deleteFrom('cast_renders').where('id', '=', id).execute();
    });
    await this.#deps.blobs.deleteOwner(BLOB_AREA, id);
    await this.#deps.storage.scrub();
  }

  /**
   * Runs in the transaction that removes the project, and returns the ids of the renders. Throws where a job holds
   * one of them.
   */
  async removeAll(trx: Trx, scope: TenantScope, castId: string): Promise<readonly string[]> {
    const rows = await withinTenant(trx, scope)
      .selectFrom('cast_renders')
      .select('id')
      .where('cast_id', '=', castId)
      .execute();
    for (const { id } of rows) {
      await requireNoLegalHoldOn(trx, scope, id);
      await this.#end(trx, id);
    }
    await withinTenant(trx, scope).deleteFrom('cast_renders').where('cast_id', '=', castId).execute();
    return rows.map(({ id }) => id);
  }

  async audio(scope: TenantScope, id: string, stem: string | undefined) {
    const row = await this.#completed(scope, id);
    const { format } = JSON.parse(row.request) as RenderRequest;
    const { stems } = JSON.parse(row.result!) as RenderResult;
    const place = stem === undefined ? null : stems.indexOf(stem);
    if (place === -1)
      throw new ApiError('not_found', `The render has no stem of '${stem!.slice(0, 64)}'.`, {
        param: 'stem',
      });
    const key = audioKey(id, place);
    const info = row.audio_removed_at === null ? await this.#deps.blobs.stat(key) : null;
    if (info === null)
      throw new ApiError('not_found', 'The audio of the render was deleted; render the project again.');
    return {
      contentType: CONTENT_TYPES[format],
      bytes: info.bytes,
      open: async (range?: ByteRange): Promise<BlobBody> => {
        const body = await this.#deps.blobs.get(key, range);
        if (body === null) throw notFound();
        return body;
      },
    };
  }

  async captions(scope: TenantScope, id: string, format: CaptionFormat): Promise<string> {
    const { plan, result } = await this.#completed(scope, id);
    if (plan === null || result === null)
      throw new ApiError('not_found', 'The lines of the render were deleted; render the project again.');
    return captionsOf(JSON.parse(plan) as RenderPlan, JSON.parse(result) as RenderResult, format);
  }

  async #completed(scope: TenantScope, id: string): Promise<CastRenderRow> {
    const row = await this.get(scope, id);
    if (row.status !== 'completed')
      throw new ApiError('not_found', `The render has no audio: it is ${row.status}.`, { param: 'id' });
    return row;
  }

  /** A running attempt can store nothing after this. */
  async #end(trx: Trx, id: string): Promise<void> {
    await this.#deps.queue.cancel(trx, id);
    await this.#deps.billing.releaseReservation(renderReservationId(id), trx);
  }

  async #find(db: Storage['db'] | Trx, scope: TenantScope, id: string): Promise<CastRenderRow> {
    const row = isId('rend', id)
      ? await withinTenant(db, scope)
          .selectFrom('cast_renders')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirst()
      : undefined;
    if (row === undefined) throw notFound();
    return row;
  }

  #rowOf({ id, castId, principal, request, plan }: Parameters<Renders['submit']>[0]): CastRenderRow {
    return {
      id,
      cast_id: castId,
      org_id: principal.orgId,
      project_id: principal.projectId,
      environment: principal.environment,
      key_id: principal.keyId,
      status: 'queued',
      request: JSON.stringify(request),
      plan: JSON.stringify(plan),
      result: null,
      gain_db: null,
      progress: 0,
      lines_total: plan.lines.length,
      lines_done: 0,
      max_seconds: principal.limits.jobUpload.seconds,
      duration_ms: null,
      billed_ms: null,
      error: null,
      created_at: this.#deps.clock.now(),
      started_at: null,
      completed_at: null,
      audio_removed_at: null,
    };
  }
}

const number = (value: number | null): number | null => (value === null ? null : Number(value));

export function renderView(row: CastRenderRow) {
  const request = JSON.parse(row.request) as RenderRequest;
  const result = row.result === null ? null : (JSON.parse(row.result) as RenderResult);
  return {
    id: row.id,
    object: 'cast.render' as const,
    project_id: row.cast_id,
    status: row.status,
    ...request,
    progress: Number(row.progress) / 1000,
    lines_total: Number(row.lines_total),
    lines_done: Number(row.lines_done),
    duration_ms: number(row.duration_ms),
    billed_ms: number(row.billed_ms),
    loudness: result?.loudness ?? null,
    timeline: result?.timeline.map((one) => ({ ...one })) ?? null,
    chapters: result?.chapters.map((one) => ({ ...one })) ?? null,
    stem_speakers: result === null ? null : [...result.stems],
    audio_available: row.status === 'completed' && row.audio_removed_at === null,
    error: row.error,
    created_at: Number(row.created_at),
    started_at: number(row.started_at),
    completed_at: number(row.completed_at),
  };
}
