import type { Kysely } from 'kysely';
import type { TenantScope } from '../../../foundation/access/contract.ts';
import { type AuditActor, appendAuditRecord, auditScope } from '../../../foundation/audit/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../../foundation/platform/pages.ts';
import { newestFirst, type Storage, type Tables, withinTenant } from '../../../foundation/storage/index.ts';
import type { TraceConsentRow, TraceSuppressionRow } from '../../../foundation/storage/tables/trace.ts';

export interface NewSuppression {
  readonly phone_number: string;
  readonly reason: string;
  readonly interaction_id: string | null;
}

/** Adds a number to the do-not-call list; the first reason stays. */
export async function suppress(
  db: Kysely<Tables>,
  scope: TenantScope,
  now: number,
  suppression: NewSuppression,
): Promise<void> {
  await withinTenant(db, scope)
    .insertInto('trace_suppressions', { ...suppression, created_at: now })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'project_id', 'environment', 'phone_number']).doNothing(),
    )
    .execute();
}

export interface NewConsent {
  readonly phone_number: string;
  readonly basis: string;
  readonly obtained_at: number;
  readonly evidence: string | null;
}

export class ContactPermissions {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  async suppress(scope: TenantScope, phone_number: string, reason: string): Promise<TraceSuppressionRow> {
    await suppress(this.#storage.db, scope, this.#clock.now(), {
      phone_number,
      reason,
      interaction_id: null,
    });
    return (await this.suppression(scope, phone_number)) as TraceSuppressionRow;
  }

  async suppression(scope: TenantScope, phone_number: string): Promise<TraceSuppressionRow | null> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('trace_suppressions')
      .selectAll()
      .where('phone_number', '=', phone_number)
      .executeTakeFirst();
    return row ?? null;
  }

  /** Returns false when the number was not on the list. */
  async release(scope: TenantScope, phone_number: string): Promise<boolean> {
    const { numDeletedRows } = await withinTenant(this.#storage.db, scope)
      .deleteFrom('trace_suppressions')
      .where('phone_number', '=', phone_number)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /** Returns one row more than the page, newest first. */
  async list(scope: TenantScope, query: PageQuery, start: PageEnd | null): Promise<TraceSuppressionRow[]> {
    const rows = withinTenant(this.#storage.db, scope).selectFrom('trace_suppressions').selectAll();
    return await newestFirst(rows, query, start, { id: 'phone_number' }).execute();
  }

  async consent(scope: TenantScope, consent: NewConsent): Promise<TraceConsentRow> {
    return await withinTenant(this.#storage.db, scope)
      .insertInto('trace_consents', { id: newId('tcon'), ...consent, created_at: this.#clock.now() })
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  /** Returns one row more than the page, newest first. */
  async consents(
    scope: TenantScope,
    filter: { readonly phone_number?: string | undefined },
    query: PageQuery,
    start: PageEnd | null,
  ): Promise<TraceConsentRow[]> {
    let rows = withinTenant(this.#storage.db, scope).selectFrom('trace_consents').selectAll();
    if (filter.phone_number !== undefined) rows = rows.where('phone_number', '=', filter.phone_number);
    return await newestFirst(rows, query, start).execute();
  }

  /** Ends the consent and keeps its row, because earlier calls rested on it. Returns null where there is none. */
  async revoke(scope: TenantScope, id: string, by: AuditActor): Promise<TraceConsentRow | null> {
    const now = this.#clock.now();
    return await this.#storage.transaction(async (trx) => {
      const own = withinTenant(trx, scope);
      const before = await own
        .selectFrom('trace_consents')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      if (before === undefined || before.revoked_at !== null) return before ?? null;
      const row = await own
        .updateTable('trace_consents')
        .set({ revoked_at: now })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await appendAuditRecord(trx, now, {
        ...auditScope(scope),
        by,
        action: 'trace.consent_revoked',
        target: id,
        before: null,
        after: null,
      });
      return row;
    });
  }

  /** Returns the newest consent; null also where that was revoked, because an older one does not come back. */
  async latestConsent(
    scope: TenantScope,
    phone_number: string,
    until: number,
  ): Promise<TraceConsentRow | null> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('trace_consents')
      .selectAll()
      .where('phone_number', '=', phone_number)
      .where('obtained_at', '<=', until)
      .orderBy('obtained_at', 'desc')
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row === undefined || row.revoked_at !== null ? null : row;
  }
}
