import { type Sealer, type TenantScope, tenantScopeOfRow } from '../../../foundation/access/index.ts';
import type { DeadJob, JobDefinition, RunningJob, Trx } from '../../../foundation/jobs/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { type Blobs, type Storage, withinTenant } from '../../../foundation/storage/index.ts';
import {
  type Evaluation,
  NetworkRefused,
  type NumberingNetwork,
  type Review,
} from '../carrier-submission/contract.ts';
import { packetOf } from '../carrier-submission/packet.ts';
import { type CaseKind, type NetworkExchange, SILENCE } from '../contract.ts';
import { type CaseChange, type CaseService, retentionEnd } from '../evidence/case-service.ts';
import { type Dossier, evidenceFor, loadDossier } from '../evidence/dossier.ts';
import { documentsThatCount } from '../evidence/needs.ts';
import { WORKER } from '../evidence/timeline.ts';
import type { RulesSnapshot } from '../registry/snapshot.ts';
import { type CaseJob, NETWORK_QUEUE } from './jobs.ts';

export interface CarrierSubmissionDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly caseService: CaseService;
  readonly network: NumberingNetwork;
  readonly approved?: Approved;
  readonly onError?: (error: Error) => void;
}

export interface ApprovedCase {
  readonly scope: TenantScope;
  readonly kind: CaseKind;
  readonly phoneNumber: string;
  readonly country: string;
  readonly numberType: string;
  readonly capabilities: readonly string[];
}
export type Approved = (of: ApprovedCase) => Promise<void>;

const LEASE_MS = 60_000;
const LONGEST_WAIT_MS = 600_000;

export class CarrierSubmissionRun {
  readonly #deps: CarrierSubmissionDeps;

  constructor(deps: CarrierSubmissionDeps) {
    this.#deps = deps;
  }

  get definition(): JobDefinition {
    return {
      queue: NETWORK_QUEUE,
      concurrency: 4,
      leaseMs: LEASE_MS,
      backoffMs: (attempt) => Math.min(2_000 * 2 ** attempt, LONGEST_WAIT_MS),
      run: (job, signal) => this.run(job, signal),
      onDead: (trx, job) => this.#died(trx, job),
    };
  }

  async run(job: RunningJob, signal: AbortSignal): Promise<void> {
    const of = job.payload as CaseJob;
    const { storage, sealer, network } = this.#deps;
    const dossier = await loadDossier(storage.db, sealer, tenantScopeOfRow(of), of.case);
    if (dossier === null) return await job.complete(async () => {});
    if (dossier.row.network_status === 'evaluating') {
      const packet = packetOf(dossier, this.#deps.blobs);
      return await this.#evaluated(job, of, await network.evaluate(packet, signal));
    }
    const { reference } = dossier.talk;
    if (dossier.row.state !== 'submitted' || reference === null) return await job.complete(async () => {});
    const review = await this.#review(reference, signal);
    if (review !== null) return await this.#reviewed(job, of, dossier, review);
    await job.postpone(this.#deps.clock.now() + network.everyMs, async () => {});
  }

  /** Returns null when the carrier is unreachable. It has the case, so that the query is retried without limit. */
  async #review(reference: string, signal: AbortSignal): Promise<Review | null> {
    try {
      return await this.#deps.network.review(reference, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof NetworkRefused) throw error;
      this.#deps.onError?.(error as Error);
      return null;
    }
  }

  async #evaluated(job: RunningJob, of: CaseJob, evaluation: Evaluation): Promise<void> {
    const { clock, network, caseService } = this.#deps;
    const scope = tenantScopeOfRow(of);
    if (evaluation.kind === 'asks_back') {
      const reason = evaluation.reasons.join(' ');
      const talk: NetworkExchange = { reference: null, asked_back: evaluation.reasons, reason };
      const change = { network_status: 'draft', network: JSON.stringify(talk) };
      const note = { type: 'network.asked_back', by: WORKER, reason };
      return await job.complete((trx) => caseService.settle(trx, scope, of.case, note, change));
    }
    const talk: NetworkExchange = { reference: evaluation.reference, asked_back: [], reason: null };
    await job.postpone(clock.now() + network.everyMs, async (trx) => {
      const note = { type: 'network.accepted', by: WORKER, detail: { reference: evaluation.reference } };
      const change = {
        network_status: 'pending_review',
        terminal_reason: 'network_review_submitted',
        network: JSON.stringify(talk),
      };
      await caseService.end(trx, scope, of.case, 'submitted', note, change);
    });
  }

  async #reviewed(job: RunningJob, of: CaseJob, dossier: Dossier, review: Review): Promise<void> {
    const { row, snapshot, talk } = dossier;
    const { clock, network } = this.#deps;
    if (review.status === 'approved') await this.#approved(of, dossier);
    const isLast = review.status === 'approved' || review.status === 'rejected';
    const publish = async (trx: Trx): Promise<void> => {
      const retention = isLast ? { retention_delete_at: retentionEnd(snapshot, clock.now()) } : {};
      if (review.status !== row.network_status) await this.#notify(trx, of, talk, review, retention);
    };
    if (isLast) await job.complete(publish);
    else await job.postpone(clock.now() + network.everyMs, publish);
  }

  /** Runs before the approval is published, so that a failure here is retried. */
  async #approved(of: CaseJob, dossier: Dossier): Promise<void> {
    const { row } = dossier;
    const phoneNumber = row.phone_number ?? (row.kind === 'port_in' ? readNumber(dossier) : null);
    if (phoneNumber === null) return;
    await this.#deps.approved?.({
      scope: tenantScopeOfRow(of),
      kind: row.kind as CaseKind,
      phoneNumber,
      country: row.country,
      numberType: row.number_type,
      capabilities: JSON.parse(row.capabilities) as string[],
    });
  }

  async #notify(
    trx: Trx,
    of: CaseJob,
    talk: NetworkExchange,
    { status, reason }: Review,
    retention: CaseChange,
  ): Promise<void> {
    const change = { ...retention, network_status: status, network: JSON.stringify({ ...talk, reason }) };
    const note = { type: 'network.reviewed', by: WORKER, reason, detail: { network_status: status } };
    await this.#deps.caseService.settle(trx, tenantScopeOfRow(of), of.case, note, change);
  }

  /**
   * The submission failed for good: the case returns to its state before it. A case that the network already has
   * stays submitted.
   */
  async #died(trx: Trx, { payload, cause }: DeadJob): Promise<void> {
    const of = payload as CaseJob;
    const scope = tenantScopeOfRow(of);
    const row = await withinTenant(trx, scope)
      .selectFrom('compliance_cases')
      .select(['state', 'network_status', 'rules_snapshot'])
      .where('id', '=', of.case)
      .executeTakeFirst();
    if (row === undefined) return;
    const isEvaluating = row.network_status === 'evaluating';
    if (!isEvaluating && row.state !== 'submitted') return;
    const refused = cause instanceof NetworkRefused;
    const reason = refused
      ? `${cause.message} Contact the operator.`
      : isEvaluating
        ? 'The network did not respond. Submit the case again.'
        : 'Its review is no longer tracked. Contact the operator.';
    const note = { type: refused ? 'network.refused' : 'network.unreachable', by: WORKER, reason };
    const network = JSON.stringify({ ...SILENCE, reason } satisfies NetworkExchange);
    const snapshot = JSON.parse(row.rules_snapshot) as RulesSnapshot;
    const retention = { retention_delete_at: retentionEnd(snapshot, this.#deps.clock.now()) };
    const change = isEvaluating ? { network_status: 'draft', network } : retention;
    await this.#deps.caseService.settle(trx, scope, of.case, note, change);
  }
}

/** A port-in without a number takes the one in its documents. */
function readNumber(dossier: Dossier): string | null {
  const fields = documentsThatCount(dossier).flatMap(
    ({ id }) => evidenceFor(dossier, id)?.extraction.fields ?? [],
  );
  const found = fields.find(({ field, invalid }) => field === 'phone_number' && invalid === undefined);
  return found?.value ?? null;
}
