import type { Kysely } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { Tables } from '../storage/tables/index.ts';
import type { Entitlement, Environment, PlanLimits } from './contract.ts';
import type { Entitlements } from './entitlements.ts';
import { planLimitsOf, SANDBOX_PLAN } from './plans.ts';

export interface KeyRecord {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly environment: Environment;
  readonly scopes: readonly string[];
  readonly secretHash: string;
  readonly budgetMicros: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly plan: string;
  readonly limits: PlanLimits;
  readonly entitlements: readonly Entitlement[];
  readonly isConsole: boolean;
}

export async function loadKey(
  db: Kysely<Tables>,
  entitlements: Entitlements,
  id: string,
): Promise<KeyRecord | null> {
  const row = await db
    .selectFrom('api_keys as k')
    .innerJoin('organizations as o', 'o.id', 'k.org_id')
    .innerJoin('plans as p', (join) =>
      join.on(({ eb, case: when }) =>
        eb(
          'p.id',
          '=',
          when().when('k.environment', '=', 'sandbox').then(SANDBOX_PLAN).else(eb.ref('o.plan')).end(),
        ),
      ),
    )
    .selectAll('p')
    .select([
      'k.id as key_id',
      'k.org_id',
      'k.project_id',
      'k.environment',
      'k.scopes',
      'k.secret_hash',
      'k.budget_micros',
      'k.expires_at',
      'k.revoked_at',
      'k.session_id',
    ])
    .where('k.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    id: row.key_id,
    orgId: row.org_id,
    projectId: row.project_id,
    isConsole: row.session_id !== null,
    environment: row.environment,
    scopes: JSON.parse(row.scopes) as string[],
    secretHash: row.secret_hash,
    budgetMicros: row.budget_micros,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    plan: row.id,
    limits: planLimitsOf(row),
    entitlements: await entitlements.of(row.org_id, row.environment),
  };
}

/** A node sees a change after this time even while the notification channel is down. */
const FRESH_MS = 30_000;
/** A key stays valid this long while the database does not answer. The product guarantees revocation within 60 s. */
const STALE_MS = 55_000;
const MAX_ENTRIES = 20_000;

interface Entry {
  readonly record: KeyRecord;
  readonly readAt: number;
}

export class KeyCache {
  readonly #load: (id: string) => Promise<KeyRecord | null>;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<KeyRecord | null>>();
  /** The counter grows with every notice: a read that began before a notice must not enter the cache after it. */
  #notices = 0;

  constructor(load: (id: string) => Promise<KeyRecord | null>, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
  }

  async find(id: string): Promise<KeyRecord | null> {
    const entry = this.#entries.get(id);
    const age = entry === undefined ? Number.POSITIVE_INFINITY : this.#clock.monotonic() - entry.readAt;
    if (entry !== undefined && age < FRESH_MS) return entry.record;
    try {
      return await (this.#loading.get(id) ?? this.#read(id));
    } catch (cause) {
      if (entry !== undefined && age < STALE_MS) return entry.record;
      throw new ApiError(
        'unavailable',
        'The key cannot be verified at the moment. Send the request again after a few seconds.',
        { retryAfter: 5, cause },
      );
    }
  }

  forget(id: string): void {
    this.#notices += 1;
    this.#entries.delete(id);
    this.#loading.delete(id);
  }

  forgetAll(): void {
    this.#notices += 1;
    this.#entries.clear();
    this.#loading.clear();
  }

  #read(id: string): Promise<KeyRecord | null> {
    const notices = this.#notices;
    const readAt = this.#clock.monotonic();
    const reading = this.#load(id)
      .then((record) => {
        if (record !== null && notices === this.#notices) this.#keep({ record, readAt });
        return record;
      })
      .finally(() => {
        if (this.#loading.get(id) === reading) this.#loading.delete(id);
      });
    this.#loading.set(id, reading);
    return reading;
  }

  #keep(entry: Entry): void {
    this.#entries.delete(entry.record.id);
    this.#entries.set(entry.record.id, entry);
    if (this.#entries.size > MAX_ENTRIES) this.#entries.delete(this.#entries.keys().next().value as string);
  }
}
