import { type Kysely, sql } from 'kysely';
import { type AuditActor, appendAuditRecord, SYSTEM_ACTOR } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, NoSuchError } from '../platform/errors.ts';
import type { PageEnd, PageQuery } from '../platform/pages.ts';
import { newestFirst, type Storage } from '../storage/index.ts';
import type { Tables } from '../storage/tables/index.ts';
import { ENTITLEMENTS, type Entitlement, type Environment } from './contract.ts';
import { CREDENTIALS_TOPIC, type CredentialNotice } from './credential-revocations.ts';

const SANDBOX_ENTITLEMENTS: readonly Entitlement[] = ['trace', 'call_integrations'];

export interface EntitlementsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly forAll: readonly Entitlement[];
  readonly onChange: (notice: CredentialNotice) => void;
}

export interface OrganizationEntitlements {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly created_at: number;
  readonly entitlements: readonly Entitlement[];
}

const containing = (text: string): string => `%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`;

export const isEntitlement = (name: string): name is Entitlement =>
  (ENTITLEMENTS as readonly string[]).includes(name);

export class Entitlements {
  readonly #options: EntitlementsOptions;

  constructor(options: EntitlementsOptions) {
    this.#options = options;
  }

  /** Grants count for live keys alone, because they open carrier accounts that cost money. */
  async of(
    orgId: string,
    environment: Environment,
    db: Kysely<Tables> = this.#options.storage.db,
  ): Promise<readonly Entitlement[]> {
    const own = environment === 'sandbox' ? SANDBOX_ENTITLEMENTS : await this.granted(orgId, db);
    return [...new Set([...own, ...this.#options.forAll])];
  }

  async granted(orgId: string, db: Kysely<Tables> = this.#options.storage.db): Promise<Entitlement[]> {
    const rows = await db
      .selectFrom('organization_entitlements')
      .select('name')
      .where('org_id', '=', orgId)
      .orderBy('name')
      .execute();
    return rows.map(({ name }) => name);
  }

  async accounts(
    query: PageQuery & { readonly search?: string },
    start: PageEnd | null,
  ): Promise<OrganizationEntitlements[]> {
    const { db } = this.#options.storage;
    let rows = db
      .selectFrom('organizations')
      .select(['id', 'name', 'plan', 'created_at'])
      .where('kind', '=', 'account');
    const { search } = query;
    if (search !== undefined)
      rows = rows.where(({ eb, or, fn }) =>
        or([
          eb('id', '=', search),
          eb(fn<string>('lower', ['name']), 'like', sql<string>`${containing(search)} escape '!'`),
        ]),
      );
    const found = await newestFirst(rows, query, start).execute();
    const grants = await db
      .selectFrom('organization_entitlements')
      .select(['org_id', 'name'])
      .where('org_id', 'in', ['', ...found.map(({ id }) => id)])
      .orderBy('name')
      .execute();
    return found.map((row) => ({
      ...row,
      entitlements: grants.filter(({ org_id }) => org_id === row.id).map(({ name }) => name),
    }));
  }

  async set(
    orgId: string,
    name: string,
    granted: boolean,
    by: AuditActor = SYSTEM_ACTOR,
  ): Promise<Entitlement[]> {
    const { storage, clock, onChange } = this.#options;
    const known = entitlementNamed(name);
    const now = clock.now();
    const { after, keys } = await storage.transaction(async (trx) => {
      const org = await trx
        .selectFrom('organizations')
        .select('id')
        .where('id', '=', orgId)
        .executeTakeFirst();
      if (org === undefined) throw new NoSuchError('organization');
      const before = await this.granted(orgId, trx);
      if (before.includes(known) === granted) return { after: before, keys: [] };
      if (granted)
        await trx
          .insertInto('organization_entitlements')
          .values({ org_id: orgId, name: known, granted_at: now })
          .execute();
      else
        await trx
          .deleteFrom('organization_entitlements')
          .where('org_id', '=', orgId)
          .where('name', '=', known)
          .execute();
      const after = await this.granted(orgId, trx);
      await appendAuditRecord(trx, now, {
        orgId,
        by,
        action: 'organization.entitlements_changed',
        target: orgId,
        before: { entitlements: before },
        after: { entitlements: after },
      });
      const keys = await trx
        .selectFrom('api_keys')
        .select('id')
        .where('org_id', '=', orgId)
        .where('revoked_at', 'is', null)
        .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
        .execute();
      for (const { id } of keys)
        await storage.notify(CREDENTIALS_TOPIC, JSON.stringify({ id, dead: false }), trx);
      return { after, keys };
    });
    for (const { id } of keys) onChange({ id, dead: false });
    return after;
  }
}

function entitlementNamed(name: string): Entitlement {
  if (isEntitlement(name)) return name;
  const message = `There is no entitlement ${name.slice(0, 64)}; valid entitlements are ${ENTITLEMENTS.join(', ')}.`;
  throw new ApiError('invalid_request', message, { param: 'name' });
}
