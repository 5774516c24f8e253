import type { Selectable, Transaction } from 'kysely';
import { type AuditActor, appendAuditRecord, SYSTEM_ACTOR } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, NoSuchError } from '../platform/errors.ts';
import type { PageEnd } from '../platform/pages.ts';
import { newestFirst, type Storage } from '../storage/index.ts';
import type { ApiKeyRow } from '../storage/tables/access.ts';
import type { Tables } from '../storage/tables/index.ts';
import type { Environment } from './contract.ts';
import { hintOf, issueCredential } from './credential.ts';
import { CREDENTIALS_TOPIC, type CredentialNotice } from './credential-revocations.ts';
import { missingRole } from './refusals.ts';
import { administrativeIn, canonicalScope, isKnownScope } from './scopes.ts';

export interface ApiKey {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly name: string;
  readonly environment: Environment;
  readonly scopes: readonly string[];
  readonly hint: string;
  readonly budgetMicros: number | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly rotatedAt: number | null;
}

export interface IssuedKey extends ApiKey {
  readonly text: string;
}

export interface NewKey {
  readonly orgId: string;
  readonly projectId: string;
  readonly name: string;
  readonly environment: Environment;
  readonly scopes: readonly string[];
  readonly budgetMicros: number | null;
  readonly expiresAt: number | null;
  readonly createdBy: string | null;
  readonly by?: AuditActor;
}

export interface KeyActor {
  readonly by?: AuditActor;
  /** Null and absent reach every project. Keys of other projects get the same answer as unknown ones. */
  readonly projects?: readonly string[] | null;
  /** A caller without administrative rights never gets the text of a key with administrative scopes. */
  readonly administers?: boolean;
}

export interface ApiKeysOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secret: Buffer;
  readonly onChange: (notice: CredentialNotice) => void;
}

/** The limit counts an organization's live keys, because every node holds each of them in memory. */
const MAX_KEYS = 100;

const keyOf = (row: Selectable<ApiKeyRow>): ApiKey => ({
  id: row.id,
  orgId: row.org_id,
  projectId: row.project_id,
  name: row.name,
  environment: row.environment,
  scopes: JSON.parse(row.scopes) as string[],
  hint: row.hint,
  budgetMicros: row.budget_micros,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  rotatedAt: row.rotated_at,
});

type Row = Selectable<ApiKeyRow>;

/** The audit log stores neither a key's secret nor its hash. */
const auditStateOf = (row: Row) => ({
  name: row.name,
  environment: row.environment,
  scopes: JSON.parse(row.scopes) as string[],
  hint: row.hint,
  budget_micros: row.budget_micros,
  expires_at: row.expires_at,
  revoked_at: row.revoked_at,
});

const noSuchKey = (): ApiError => new NoSuchError('key in your organization');

export function checkScopes(scopes: readonly string[]): readonly string[] {
  const unknown = scopes.find((scope) => !isKnownScope(scope));
  if (unknown !== undefined) {
    throw new ApiError('invalid_request', `${unknown.slice(0, 64)} is not a scope.`, { param: 'scopes' });
  }
  if (scopes.length === 0) {
    throw new ApiError('invalid_request', 'A key needs at least one scope.', { param: 'scopes' });
  }
  return [...new Set(scopes.map(canonicalScope))];
}

export class ApiKeys {
  readonly #options: ApiKeysOptions;

  constructor(options: ApiKeysOptions) {
    this.#options = options;
  }

  create(key: NewKey): Promise<IssuedKey> {
    return this.#options.storage.transaction((transaction) => this.createIn(transaction, key));
  }

  async #checkCount(transaction: Transaction<Tables>, orgId: string): Promise<void> {
    const { count } = await transaction
      .selectFrom('api_keys')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('org_id', '=', orgId)
      .where('session_id', 'is', null)
      .where('revoked_at', 'is', null)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', this.#options.clock.now())]))
      .executeTakeFirstOrThrow();
    if (Number(count) < MAX_KEYS) return;
    throw new ApiError(
      'invalid_request',
      `An organization can have at most ${MAX_KEYS} active keys; revoke one first.`,
    );
  }

  async createIn(transaction: Transaction<Tables>, key: NewKey): Promise<IssuedKey> {
    const environment = key.environment;
    const issued = issueCredential(this.#options.secret, environment === 'live' ? 'live_key' : 'sandbox_key');
    const row: ApiKeyRow = {
      id: `key_${issued.id}`,
      org_id: key.orgId,
      project_id: key.projectId,
      name: key.name,
      environment,
      scopes: JSON.stringify(checkScopes(key.scopes)),
      secret_hash: issued.hash,
      hint: hintOf(issued.text),
      budget_micros: key.budgetMicros,
      created_by: key.createdBy,
      created_at: this.#options.clock.now(),
      expires_at: key.expiresAt,
      revoked_at: null,
      rotated_at: null,
      session_id: null,
    };
    await this.#checkCount(transaction, key.orgId);
    await transaction.insertInto('api_keys').values(row).execute();
    await this.#record(transaction, key.by, 'created', null, row);
    return { ...keyOf(row), text: issued.text };
  }

  async list(
    orgId: string,
    start: PageEnd | null,
    limit: number,
    projects: readonly string[] | null = null,
  ): Promise<ApiKey[]> {
    let query = this.#options.storage.db
      .selectFrom('api_keys')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('session_id', 'is', null);
    if (projects !== null) query = query.where('project_id', 'in', [...projects, '']);
    const rows = await newestFirst(query, { limit }, start).execute();
    return rows.map(keyOf);
  }

  /** Replaces the secret and refuses the old one from now on. Live sessions of the key continue. */
  async rotate(orgId: string | null, id: string, acting: KeyActor = {}): Promise<IssuedKey> {
    const now = this.#options.clock.now();
    const notice = { id, dead: false };
    const rotated = await this.#options.storage.transaction(async (transaction) => {
      const row = await this.#mustFind(transaction, orgId, id, acting);
      if (row.revoked_at !== null) {
        throw new ApiError('invalid_request', 'A revoked key cannot be rotated: create a new one.');
      }
      const above = acting.administers === false ? administrativeIn(keyOf(row).scopes) : undefined;
      if (above !== undefined) throw missingRole('admin');
      if (row.expires_at !== null && row.expires_at <= now) {
        throw new ApiError('invalid_request', 'An expired key cannot be rotated: create a new one.');
      }
      const kind = row.environment === 'live' ? 'live_key' : 'sandbox_key';
      const issued = issueCredential(this.#options.secret, kind, id.slice('key_'.length));
      const change = { secret_hash: issued.hash, hint: hintOf(issued.text), rotated_at: now };
      await transaction.updateTable('api_keys').set(change).where('id', '=', id).execute();
      await this.#record(transaction, acting.by, 'rotated', row, { ...row, ...change });
      await this.#notify(transaction, notice);
      return { ...keyOf({ ...row, ...change }), text: issued.text };
    });
    this.#options.onChange(notice);
    return rotated;
  }

  async revoke(orgId: string | null, id: string, acting: KeyActor = {}): Promise<ApiKey> {
    const notice = { id, dead: true };
    const revoked = await this.#options.storage.transaction(async (transaction) => {
      const row = await this.#mustFind(transaction, orgId, id, acting);
      const change = { revoked_at: row.revoked_at ?? this.#options.clock.now() };
      await transaction.updateTable('api_keys').set(change).where('id', '=', id).execute();
      if (row.revoked_at === null)
        await this.#record(transaction, acting.by, 'revoked', row, { ...row, ...change });
      await this.#notify(transaction, notice);
      return keyOf({ ...row, ...change });
    });
    this.#options.onChange(notice);
    return revoked;
  }

  async setBudget(
    orgId: string | null,
    id: string,
    budgetMicros: number | null,
    acting: KeyActor = {},
  ): Promise<ApiKey> {
    const notice = { id, dead: false };
    const changed = await this.#options.storage.transaction(async (transaction) => {
      const row = await this.#mustFind(transaction, orgId, id, acting);
      const change = { budget_micros: budgetMicros };
      await transaction.updateTable('api_keys').set(change).where('id', '=', id).execute();
      await this.#record(transaction, acting.by, 'changed', row, { ...row, ...change });
      await this.#notify(transaction, notice);
      return keyOf({ ...row, ...change });
    });
    this.#options.onChange(notice);
    return changed;
  }

  #record(
    trx: Transaction<Tables>,
    by: AuditActor | undefined,
    what: 'created' | 'rotated' | 'revoked' | 'changed',
    before: Row | null,
    after: Row,
  ): Promise<void> {
    return appendAuditRecord(trx, this.#options.clock.now(), {
      orgId: after.org_id,
      place: { projectId: after.project_id, environment: after.environment },
      by: by ?? SYSTEM_ACTOR,
      action: `key.${what}`,
      target: after.id,
      before: before === null ? null : auditStateOf(before),
      after: auditStateOf(after),
    });
  }

  #notify(transaction: Transaction<Tables>, notice: CredentialNotice): Promise<void> {
    return this.#options.storage.notify(CREDENTIALS_TOPIC, JSON.stringify(notice), transaction);
  }

  async #mustFind(
    transaction: Transaction<Tables>,
    orgId: string | null,
    id: string,
    { projects }: KeyActor,
  ) {
    let query = transaction
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', id)
      .where('session_id', 'is', null);
    if (projects) query = query.where('project_id', 'in', [...projects, '']);
    if (orgId !== null) query = query.where('org_id', '=', orgId);
    const row = await query.executeTakeFirst();
    if (row === undefined) throw noSuchKey();
    return row;
  }
}
