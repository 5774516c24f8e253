import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { AccessControl } from '../../../foundation/access/contract.ts';
import { tenantScopeOfRow } from '../../../foundation/access/index.ts';
import { type Billing, usageEventOf } from '../../../foundation/billing/index.ts';
import {
  type DeadJob,
  type JobQueue,
  LeaseLostError,
  PermanentError,
  type RunningJob,
  type Trx,
} from '../../../foundation/jobs/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { acrossTenants, type Blobs, type Storage } from '../../../foundation/storage/index.ts';
import type { CastRenderRow } from '../../../foundation/storage/tables/cast.ts';
import type { Webhooks } from '../../../foundation/webhooks/index.ts';
import { capacityShareOf, type Engine } from '../../../media/engine/index.ts';
import { queuedRender } from '../queue.ts';
import { Mastering } from './mastering.ts';
import { type PlannedLine, type RenderPlan, tooLong } from './plan.ts';
import type { RenderWorkspace } from './render-workspace.ts';
import { RESERVATION_MS, type RenderRequest, renderReservationId } from './request.ts';
import type { RenderResult } from './result.ts';
import { RATE, SAMPLE_BYTES, speakLine } from './take.ts';
import { Takes } from './takes.ts';
import { type ClipPosition, millisecondsOf, speakersOf, type Timeline, timelineOf } from './timeline.ts';

export interface RenderDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly access: Pick<AccessControl, 'confirm'>;
  readonly billing: Billing;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly engine: Engine;
  readonly ffmpeg: string | null;
  readonly webhooks: Pick<Webhooks, 'publish'>;
}

/** Synthesis makes up this share of the progress; mixing is the rest. */
const SPEAKING = 0.9;

/** One attempt at a render; it continues where the last one ended. */
export class RenderRun {
  readonly #deps: RenderDeps;
  readonly #workplace: RenderWorkspace;

  constructor(deps: RenderDeps, workplace: RenderWorkspace) {
    this.#deps = deps;
    this.#workplace = workplace;
  }

  async run(job: RunningJob, from: string, signal: AbortSignal): Promise<void> {
    const row = await this.#begin(job.id);
    if (!row?.plan) return await job.complete(async () => {});
    const own = queuedRender(row);
    // Jobs of an older version lie in a single queue.
    if (own.queue !== from) return await job.complete((trx) => this.#deps.queue.enqueue(trx, own));
    const plan = JSON.parse(row.plan) as RenderPlan;
    const takes = new Takes(this.#deps, row);
    const made = await this.#speak(job, row, plan, takes, signal);
    const file = this.#workplace.path(job.id);
    try {
      const sounds = await this.#gather(file, plan, takes, signal);
      const timeline = timelineOf(plan.lines, sounds);
      await this.#confirm(row, millisecondsOf(timeline.samples), await takes.unbilledMs(plan));
      const mastering = new Mastering(this.#deps, row, file, signal);
      const report = await mastering.run(timeline, await this.#lastGain(row));
      const result = resultOf(timeline, report, made, row);
      await job.complete((trx) => this.#record(trx, row, plan, takes, result, timeline));
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Runs in the transaction that gives the job up. */
  async died(trx: Trx, job: DeadJob): Promise<void> {
    const message = job.cause instanceof PermanentError ? job.reason : FAILED;
    await acrossTenants(trx)
      .updateTable('cast_renders')
      .set({ status: 'failed', error: message, completed_at: this.#deps.clock.now() })
      .where('id', '=', job.id)
      .where('status', 'in', ['queued', 'rendering'])
      .execute();
    await this.#deps.billing.releaseReservation(renderReservationId(job.id), trx);
  }

  async revived(trx: Trx, job: DeadJob): Promise<void> {
    await acrossTenants(trx)
      .updateTable('cast_renders')
      .set({ status: 'queued', error: null, completed_at: null })
      .where('id', '=', job.id)
      .where('status', '=', 'failed')
      .execute();
  }

  async #begin(id: string): Promise<CastRenderRow | undefined> {
    const { storage, clock } = this.#deps;
    return await acrossTenants(storage.db)
      .updateTable('cast_renders')
      .set((eb) => ({ status: 'rendering', started_at: eb.fn.coalesce('started_at', eb.val(clock.now())) }))
      .where('id', '=', id)
      .where('status', 'in', ['queued', 'rendering'])
      .returningAll()
      .executeTakeFirst();
  }

  /**
   * Synthesizes every line without a take; returns the takes made for this render, in this attempt or an earlier one.
   */
  async #speak(
    job: RunningJob,
    row: CastRenderRow,
    plan: RenderPlan,
    takes: Takes,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const known = await takes.known();
    const total = Math.max(1, plan.lines.length);
    for (const [at, line] of plan.lines.entries()) {
      if (known.has(line.take)) continue;
      signal.throwIfAborted();
      const samples = await takes.put(
        line,
        speakLine(this.#deps.engine, line, capacityShareOf(row.environment), signal),
        signal,
      );
      known.set(line.take, { samples, billed: false });
      const done = plan.lines.filter(({ take }) => known.has(take)).length;
      await job.checkpoint((SPEAKING * done) / total, async (trx) => {
        await takes.keep(trx, line.take, samples);
        await acrossTenants(trx)
          .updateTable('cast_renders')
          .set({ progress: Math.round((1000 * SPEAKING * (at + 1)) / total), lines_done: done })
          .where('id', '=', row.id)
          .execute();
      });
    }
    return await takes.madeSince(Number(row.created_at));
  }

  async #gather(file: string, plan: RenderPlan, takes: Takes, signal: AbortSignal): Promise<ClipPosition[]> {
    const places = new Map<string, ClipPosition>();
    let at = 0;
    const all = async function* () {
      for (const { take } of plan.lines) {
        if (places.has(take)) continue;
        const from = at;
        for await (const chunk of takes.read(take)) {
          signal.throwIfAborted();
          at += chunk.length / SAMPLE_BYTES;
          yield chunk;
        }
        places.set(take, { at: from, samples: at - from });
      }
    };
    await pipeline(all, createWriteStream(file, { mode: 0o600 }));
    return plan.lines.map(({ take }) => places.get(take)!);
  }

  /** The length is known now, so an organization that cannot pay is refused before the mix. */
  async #confirm(row: CastRenderRow, durationMs: number, unbilledMs: number): Promise<void> {
    const most = Number(row.max_seconds) * 1000;
    if (durationMs > most) throw new PermanentError(`The render would be ${tooLong(durationMs, most)}`);
    if (unbilledMs === 0) return;
    const account = {
      orgId: row.org_id,
      projectId: row.project_id,
      keyId: row.key_id,
      environment: row.environment,
    };
    try {
      const order = {
        reservationId: renderReservationId(row.id),
        milliseconds: unbilledMs,
        leaseMs: RESERVATION_MS,
        resource: row.id,
      };
      await this.#deps.access.confirm(account, 'cast.render', order);
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) throw new PermanentError(error.message);
      throw error;
    }
  }

  /** Reads the gain of the previous render, so that unedited passages keep their samples where it still fits. */
  async #lastGain(row: CastRenderRow): Promise<number | undefined> {
    const { loudness_lufs: target } = JSON.parse(row.request) as RenderRequest;
    const last = await acrossTenants(this.#deps.storage.db)
      .selectFrom('cast_renders')
      .select(['gain_db', 'request'])
      .where('cast_id', '=', row.cast_id)
      .where('status', '=', 'completed')
      .orderBy('completed_at', 'desc')
      .executeTakeFirst();
    if (last === undefined || last.gain_db === null) return undefined;
    return (JSON.parse(last.request) as RenderRequest).loudness_lufs === target ? last.gain_db : undefined;
  }

  async #record(
    trx: Trx,
    row: CastRenderRow,
    plan: RenderPlan,
    takes: Takes,
    result: RenderResult,
    timeline: Timeline,
  ): Promise<void> {
    const now = this.#deps.clock.now();
    const milliseconds = await takes.bill(trx, plan);
    const durationMs = Math.round((timeline.samples * 1000) / RATE);
    const done = await acrossTenants(trx)
      .updateTable('cast_renders')
      .set({
        status: 'completed',
        progress: 1000,
        lines_done: plan.lines.length,
        result: JSON.stringify(result),
        gain_db: result.loudness.gain_db,
        duration_ms: durationMs,
        billed_ms: milliseconds,
        completed_at: now,
      })
      .where('id', '=', row.id)
      .executeTakeFirst();
    if (done.numUpdatedRows === 0n) throw new LeaseLostError(row.id);
    const used = usageEventOf(row, {
      id: `use_${row.id}`,
      use: 'cast.render',
      milliseconds,
      resource: row.id,
      occurredAt: now,
      reservationId: renderReservationId(row.id),
    });
    await this.#deps.billing.recordUsage(trx, used);
    await this.#deps.billing.releaseReservation(renderReservationId(row.id), trx);
    await this.#deps.webhooks.publish(trx, {
      scope: tenantScopeOfRow(row),
      type: 'cast.render.completed',
      resource: row.id,
      urls: [],
      data: {
        id: row.id,
        object: 'cast.render',
        project_id: row.cast_id,
        status: 'completed',
        duration_ms: durationMs,
        billed_ms: milliseconds,
        lines_total: plan.lines.length,
        created_at: Number(row.created_at),
        completed_at: now,
      },
    });
  }
}

const FAILED =
  'The render failed because of a server error and was not billed. Render again: the lines already synthesized are reused.';

function resultOf(
  timeline: Timeline,
  report: RenderResult['loudness'],
  made: ReadonlySet<string>,
  row: CastRenderRow,
): RenderResult {
  const { stems } = JSON.parse(row.request) as RenderRequest;
  const shown = ({ line, clip }: Timeline['placed'][number]) => ({
    line_id: line.id,
    speaker: line.speaker,
    voice: line.voice,
    start_ms: millisecondsOf(clip.start),
    end_ms: millisecondsOf(clip.start + clip.samples),
    cached: !made.has(line.take),
  });
  const begins = ({ line }: { line: PlannedLine }) => line.chapter !== null;
  return {
    loudness: report,
    timeline: timeline.placed.map(shown),
    chapters: timeline.placed
      .filter(begins)
      .map(({ line, clip }) => ({ title: line.chapter!, start_ms: millisecondsOf(clip.start) })),
    stems: stems ? speakersOf(timeline) : [],
  };
}
