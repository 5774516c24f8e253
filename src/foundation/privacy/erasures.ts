import { createHash, randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { type TenantScope, tenantScopeOfRow } from '../access/index.ts';
import { type AuditActor, appendAuditRecord, SYSTEM_ACTOR } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { type Blobs, type EveryTable, type Storage, withinTenant } from '../storage/index.ts';
import type { DataSubject, ErasureResult, LegalHoldLookup, PersonalDataStore } from './contract.ts';

export interface Erasure {
  readonly id: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly held: number;
  readonly sha256: string;
  readonly erasedAt: number;
}

type Row = EveryTable['erasures'];

export interface ErasuresOptions {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly holds: LegalHoldLookup;
  readonly stores: readonly PersonalDataStore[];
  readonly cleanups: readonly RecordCleanup[];
}

export type RecordCleanup = (
  scope: TenantScope,
  records: readonly string[],
) => Promise<Readonly<Record<string, number>>>;

/** The orders are files, not rows: a database restored from a backup learns from them what to erase again. */
export const ERASURES_AREA = 'erasures';
const NAME = 'erasure.json';

/** The salted hash keeps the list of erasures from revealing who was erased. */
const hashOf = (salt: string, externalId: string): string =>
  createHash('sha256').update(salt).update('\0').update(externalId).digest('hex');

export class Erasures {
  readonly #options: ErasuresOptions;

  constructor(options: ErasuresOptions) {
    this.#options = options;
  }

  /** The order is stored before the removal, so that the next start finishes an interrupted erasure. */
  async erase(scope: TenantScope, externalId: string, by: AuditActor): Promise<Erasure> {
    const { clock, blobs } = this.#options;
    const salt = randomBytes(16).toString('hex');
    const order: Row = {
      id: newId('era'),
      org_id: scope.org,
      project_id: scope.project,
      environment: scope.environment,
      salt,
      person: hashOf(salt, externalId),
      counts: '{}',
      sha256: '',
      erased_at: clock.now(),
    };
    await blobs.put(
      { area: ERASURES_AREA, owner: order.id, name: NAME },
      [Buffer.from(JSON.stringify(order))],
      {
        payer: null,
      },
    );
    const person = { externalId, until: order.erased_at };
    return await this.#finish(scope, order, await this.#removeAll(scope, person), by);
  }

  async replay(): Promise<number> {
    const { blobs } = this.#options;
    let count = 0;
    for await (const id of blobs.owners(ERASURES_AREA)) {
      const body = await blobs.get({ area: ERASURES_AREA, owner: id, name: NAME });
      if (body === null) continue;
      const order = JSON.parse(await text(body.stream)) as Row;
      if (await this.#replayOne(order)) count += 1;
    }
    return count;
  }

  async #replayOne(order: Row): Promise<boolean> {
    const { storage, stores } = this.#options;
    const scope = tenantScopeOfRow(order);
    const done = await withinTenant(storage.db, scope)
      .selectFrom('erasures')
      .select('id')
      .where('id', '=', order.id)
      .executeTakeFirst();
    if (done !== undefined) return false;
    const dataSubjects = await Promise.all(stores.map((store) => store.dataSubjectsOf(scope)));
    const externalId = dataSubjects.flat().find((each) => hashOf(order.salt, each) === order.person);
    const removed =
      externalId === undefined ? [] : await this.#removeAll(scope, { externalId, until: order.erased_at });
    await this.#finish(scope, order, removed, SYSTEM_ACTOR);
    return true;
  }

  async #removeAll(scope: TenantScope, person: DataSubject): Promise<ErasureResult[]> {
    const { stores, storage } = this.#options;
    const removed: ErasureResult[] = [];
    const forgotten = new Set<string>();
    const trailsFirst = this.#forgetting(removed, forgotten);
    for (const store of stores) removed.push(await store.erase(scope, person, trailsFirst));
    const records = removed.flatMap((each) => each.records).filter((id) => !forgotten.has(id));
    removed.push(...(await this.#forget(scope, records)));
    await storage.scrub();
    return removed;
  }

  /**
   * Data that leads to a record is erased before the record: after a crash between the two, nothing would lead
   * there again.
   */
  #forgetting(removed: ErasureResult[], forgotten: Set<string>): LegalHoldLookup {
    return {
      among: async (scope, records) => {
        const held = await this.#options.holds.among(scope, records);
        const leaving = records.filter((id) => !held.has(id));
        removed.push(...(await this.#forget(scope, leaving)));
        for (const id of leaving) forgotten.add(id);
        return held;
      },
    };
  }

  async #forget(scope: TenantScope, records: readonly string[]): Promise<ErasureResult[]> {
    const counts = await Promise.all(this.#options.cleanups.map((forget) => forget(scope, records)));
    return counts.map((each) => ({ counts: each, records: [], held: [] }));
  }

  async #finish(
    scope: TenantScope,
    order: Row,
    removed: readonly ErasureResult[],
    by: AuditActor,
  ): Promise<Erasure> {
    const counts: Record<string, number> = {};
    for (const each of removed) {
      for (const [name, count] of Object.entries(each.counts)) counts[name] = (counts[name] ?? 0) + count;
    }
    const records = removed.flatMap((each) => each.records).sort();
    const held = removed.reduce((sum, each) => sum + each.held.length, 0);
    const signed = JSON.stringify([order.id, order.person, order.erased_at, counts, records]);
    const sha256 = createHash('sha256').update(signed).digest('hex');
    await this.#options.storage.transaction(async (trx) => {
      const { org_id, project_id, environment, ...own } = order;
      await withinTenant(trx, scope)
        .insertInto('erasures', { ...own, counts: JSON.stringify(counts), sha256 })
        .execute();
      await appendAuditRecord(trx, this.#options.clock.now(), {
        orgId: org_id,
        place: { projectId: project_id, environment },
        by,
        action: 'person.erased',
        target: order.id,
        before: null,
        after: { counts, held, sha256 },
      });
    });
    return { id: order.id, counts, held, sha256, erasedAt: order.erased_at };
  }
}
