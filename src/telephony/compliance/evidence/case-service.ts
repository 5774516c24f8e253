import type { Kysely } from 'kysely';
import type { Sealer, TenantScope } from '../../../foundation/access/index.ts';
import type { EventData } from '../../../foundation/events/index.ts';
import type { JobQueue, Trx } from '../../../foundation/jobs/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { type Storage, type Tables, withinTenant } from '../../../foundation/storage/index.ts';
import type { ComplianceCaseRow, ComplianceEventRow } from '../../../foundation/storage/tables/compliance.ts';
import type { Webhooks } from '../../../foundation/webhooks/index.ts';
import type { Attestation, CaseState, NetworkExchange } from '../contract.ts';
import type { RulesSnapshot } from '../registry/snapshot.ts';
import {
  caseDeadlineId,
  caseDeadlineJob,
  documentExpiryId,
  documentExpiryJob,
  extractId,
  networkId,
  scanId,
} from '../running/jobs.ts';
import { isTerminal, transitionsTo } from '../state-machine.ts';
import { growsOldAt, isBehind } from './ageing.ts';
import { type Assessment, assess } from './assess.ts';
import { type Dossier, isUnfinished, loadDossier } from './dossier.ts';
import { appendTimeline, type TimelineNote, timelineOf, WORKER } from './timeline.ts';

export interface CaseServiceDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly sealer: Sealer;
  readonly webhooks: Pick<Webhooks, 'publish'>;
}

export interface AssessedCase {
  readonly dossier: Dossier;
  readonly assessment: Assessment;
  readonly timeline: readonly ComplianceEventRow[];
}

export type CaseChange = Partial<Omit<ComplianceCaseRow, 'id' | 'state' | 'version'>>;

const DAY_MS = 24 * 3600 * 1000;

/**
 * Reads and changes cases. A change is one transaction: the change, the state that follows from the evidence, and a
 * timeline entry for each new version.
 */
export class CaseService {
  readonly #deps: CaseServiceDeps;

  constructor(deps: CaseServiceDeps) {
    this.#deps = deps;
  }

  async look(
    scope: TenantScope,
    id: string,
    db: Kysely<Tables> = this.#deps.storage.db,
  ): Promise<AssessedCase> {
    const dossier = await this.read(db, scope, id);
    const timeline = await timelineOf(db, scope, id);
    return { dossier, assessment: assess(dossier, this.#deps.clock.now()), timeline };
  }

  async read(db: Kysely<Tables>, scope: TenantScope, id: string): Promise<Dossier> {
    const dossier = isId('ncc', id) ? await loadDossier(db, this.#deps.sealer, scope, id) : null;
    if (dossier === null) throw new NoSuchError('compliance case');
    return dossier;
  }

  /** Assesses the case now, because documents expire without any event. Throws ApiError `not_found`. */
  async current(scope: TenantScope, id: string): Promise<AssessedCase> {
    const looked = await this.look(scope, id);
    if (!isBehind(looked.dossier, looked.assessment)) return looked;
    return await this.#deps.storage.transaction(async (trx) => {
      await this.catchUp(trx, scope, id);
      return await this.look(scope, id, trx);
    });
  }

  async catchUp(trx: Trx, scope: TenantScope, id: string): Promise<void> {
    const { dossier, assessment } = await this.look(scope, id, trx);
    if (!isBehind(dossier, assessment)) return;
    await this.settle(trx, scope, id, { type: 'evidence.aged', by: WORKER });
  }

  /** Loads a case for a change. Throws ApiError where its version is not the expected one or it is closed. */
  async begin(trx: Trx, scope: TenantScope, id: string, expected: number | null): Promise<Dossier> {
    const dossier = await this.read(trx, scope, id);
    const { version, state } = dossier.row;
    if (expected !== null && expected !== version) throw movedOn(version);
    if (isTerminal(state as CaseState))
      throw new ApiError('case_closed', `The case is ${state} and can no longer be changed.`);
    return dossier;
  }

  async settle(
    trx: Trx,
    scope: TenantScope,
    id: string,
    note: TimelineNote,
    change: CaseChange = {},
  ): Promise<void> {
    const dossier = changed(await this.read(trx, scope, id), change);
    const target = assess(dossier, this.#deps.clock.now()).state;
    await this.#write(trx, scope, dossier, note, target, change);
  }

  async end(
    trx: Trx,
    scope: TenantScope,
    id: string,
    target: CaseState,
    note: TimelineNote,
    change: CaseChange,
  ): Promise<void> {
    const dossier = changed(await this.read(trx, scope, id), change);
    await this.#write(trx, scope, dossier, note, target, change);
  }

  async #write(
    trx: Trx,
    scope: TenantScope,
    dossier: Dossier,
    note: TimelineNote,
    target: CaseState,
    change: CaseChange,
  ): Promise<void> {
    const { row } = dossier;
    const now = this.#deps.clock.now();
    const from = row.state as CaseState;
    const version = await this.#notifyAll(trx, scope, row, note, transitionsTo(from, target));
    const set = {
      ...change,
      ...(await this.#wallClock(trx, scope, dossier, target, note)),
      ...(isTerminal(target) && !isTerminal(from) ? await this.#over(trx, dossier) : {}),
      state: target,
      updated_at: now,
    };
    await this.#ageing(trx, scope, dossier, target);
    const { continuation } = assess(changed(dossier, set), now);
    const { numUpdatedRows } = await withinTenant(trx, scope)
      .updateTable('compliance_cases')
      .set({ ...set, version, continuation_reason: continuation })
      .where('id', '=', row.id)
      .where('version', '=', row.version)
      .executeTakeFirst();
    if (Number(numUpdatedRows) !== 1) throw movedOn(null);
    const after = { ...row, ...set, version, continuation_reason: continuation };
    await this.#deps.webhooks.publish(trx, {
      scope,
      type: 'compliance.case.updated',
      resource: row.id,
      urls: [],
      data: caseEvent(after, target, from, note),
    });
  }

  async #notifyAll(
    trx: Trx,
    scope: TenantScope,
    row: ComplianceCaseRow,
    note: TimelineNote,
    way: readonly CaseState[],
  ): Promise<number> {
    const now = this.#deps.clock.now();
    let version = row.version + 1;
    await appendTimeline(trx, scope, row.id, version, now, note);
    let from = row.state as CaseState;
    for (const to of way) {
      version += 1;
      const moved = { type: 'state.changed', by: note.by, detail: { because: note.type } };
      await appendTimeline(trx, scope, row.id, version, now, moved, { from, to });
      from = to;
    }
    return version;
  }

  /** The deadline for reading starts at the last upload, and ends when nothing is left to read. */
  async #wallClock(
    trx: Trx,
    scope: TenantScope,
    { row, snapshot }: Dossier,
    target: CaseState,
    note: TimelineNote,
  ): Promise<CaseChange> {
    const { queue, clock } = this.#deps;
    if (target !== 'extracting') {
      if (row.clock_ends_at !== null) await queue.cancel(trx, caseDeadlineId(row.id));
      return { clock_ends_at: null };
    }
    if (row.clock_ends_at !== null && note.type !== 'document.uploaded') return {};
    const ends = clock.now() + snapshot.config.wall_clock_s * 1000;
    await queue.replace(trx, caseDeadlineJob(scope, row.id, ends));
    return { clock_ends_at: ends };
  }

  async #ageing(trx: Trx, scope: TenantScope, dossier: Dossier, target: CaseState): Promise<void> {
    const { queue } = this.#deps;
    const { id, state } = dossier.row;
    const at = target === 'ready_for_submission' ? growsOldAt(dossier) : null;
    if (at !== null) await queue.replace(trx, documentExpiryJob(scope, id, at));
    else if (state === 'ready_for_submission') await queue.cancel(trx, documentExpiryId(id));
  }

  async #over(trx: Trx, { row, snapshot, uploads, extractions }: Dossier): Promise<CaseChange> {
    const { queue, clock } = this.#deps;
    // Malware is removed even after the case has ended.
    for (const { id, malware_status } of uploads)
      if (malware_status !== 'infected') await queue.cancel(trx, scanId(id));
    for (const each of extractions.filter(isUnfinished)) await queue.cancel(trx, extractId(each.id));
    if (row.terminal_reason === 'cancelled_by_customer') await queue.cancel(trx, networkId(row.id));
    const now = clock.now();
    // The documents of a case under review are kept until the network has answered.
    const isReviewed = row.network_status === 'pending_review';
    return { ended_at: now, retention_delete_at: isReviewed ? null : retentionEnd(snapshot, now) };
  }
}

const caseEvent = (
  row: ComplianceCaseRow,
  state: CaseState,
  from: CaseState,
  { type }: TimelineNote,
): EventData<'compliance.case.updated'> => ({
  id: row.id,
  object: 'telephony.compliance_case',
  project_id: row.project_id,
  external_id: row.external_id,
  kind: row.kind,
  country: row.country,
  number_type: row.number_type,
  state,
  previous_state: from,
  version: Number(row.version),
  because: type,
  network_status: row.network_status,
  continuation_reason: row.continuation_reason,
  terminal_reason: row.terminal_reason,
  created_at: Number(row.created_at),
  updated_at: Number(row.updated_at),
});

export const retentionEnd = ({ config }: RulesSnapshot, now: number): number =>
  now + config.retention.document_days * DAY_MS;

const movedOn = (version: number | null): ApiError =>
  new ApiError(
    'version_conflict',
    version === null
      ? 'Another request has changed the case. Retrieve it again and repeat the change.'
      : `The case is now at version ${version}. Retrieve it again and repeat the change.`,
    { param: 'if-match' },
  );

const changed = (dossier: Dossier, change: Partial<ComplianceCaseRow>): Dossier => ({
  ...dossier,
  row: { ...dossier.row, ...change },
  ...(change.attestations === undefined
    ? {}
    : { attestations: JSON.parse(change.attestations) as Attestation[] }),
  ...(change.network === undefined ? {} : { talk: JSON.parse(change.network) as NetworkExchange }),
});
