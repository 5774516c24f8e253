import type { TenantScope } from '../../foundation/access/contract.ts';
import type { AuditActor } from '../../foundation/audit/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { acrossTenants, type Storage, withinTenant } from '../../foundation/storage/index.ts';

/** The access module implements the revocation of keys. */
export type Revoke = (orgId: string, keyId: string, by: AuditActor) => Promise<unknown>;

/** Stores which key belongs to an installation at a hosting partner. */
export class Installations {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #revoke: Revoke;

  constructor(storage: Storage, clock: Clock, revoke: Revoke) {
    this.#storage = storage;
    this.#clock = clock;
    this.#revoke = revoke;
  }

  /** Binds the caller's key to the installation. */
  async put(scope: TenantScope, partner: string, configuration: string, keyId: string): Promise<number> {
    const now = this.#clock.now();
    const values = { key_id: keyId, created_at: now };
    await withinTenant(this.#storage.db, scope)
      .insertInto('installations', { partner, configuration_id: configuration, ...values })
      .onConflict((conflict) =>
        conflict
          .columns(['org_id', 'project_id', 'environment', 'partner', 'configuration_id'])
          .doUpdateSet(values),
      )
      .execute();
    return now;
  }

  /** Revokes the keys of an installation that was removed or moved; returns their number. */
  async end(partner: string, configuration: string): Promise<number> {
    const rows = await acrossTenants(this.#storage.db)
      .selectFrom('installations')
      .selectAll()
      .where('partner', '=', partner)
      .where('configuration_id', '=', configuration)
      .execute();
    const by: AuditActor = { kind: 'system', id: `hosting partner ${partner}`, from: null, requestId: null };
    for (const row of rows) await this.#revoke(row.org_id, row.key_id, by);
    await acrossTenants(this.#storage.db)
      .deleteFrom('installations')
      .where('partner', '=', partner)
      .where('configuration_id', '=', configuration)
      .execute();
    return rows.length;
  }
}
