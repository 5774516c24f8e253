import { createHmac } from 'node:crypto';
import type { Transaction } from 'kysely';
import { type AuditActor, appendAuditRecord } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, NoSuchError } from '../platform/errors.ts';
import type { Storage, Tables } from '../storage/index.ts';
import type { ApiKeyRow } from '../storage/tables/access.ts';
import type { Environment, MemberRole, Principal } from './contract.ts';
import { hintOf, type IssuedCredential, issueCredential } from './credential.ts';
import { CREDENTIALS_TOPIC, type CredentialNotice } from './credential-revocations.ts';
import { isAtLeast, tenantScopeIn } from './roles.ts';
import { ADMINISTRATIVE, SCOPES } from './scopes.ts';

/** The page requests a new key before this one expires. A closed browser leaves no long-lived key. */
const LIFETIME_MS = 3_600_000;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 20;
const SECRET_LENGTH = 32;

export interface SessionKey {
  readonly text: string;
  readonly projectId: string;
  readonly environment: Environment;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
}

export interface SessionKeysOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secret: Buffer;
  readonly onChange: (notice: CredentialNotice) => void;
}

/**
 * An analyst reads, a developer also writes, and an admin also reaches billing and secrets. The environment makes no
 * difference: the sandbox key of a sign-up may clone voices too.
 */
function scopesOf(role: MemberRole): string[] {
  if (isAtLeast(role, 'admin')) return [...SCOPES];
  const plain = SCOPES.filter((scope) => !ADMINISTRATIVE.includes(scope));
  return isAtLeast(role, 'developer') ? plain : plain.filter((scope) => scope.endsWith(':read'));
}

/**
 * Derives the key with which the pages of a console session call the API, one for each session, project and
 * environment. The text is derived from the session, so that every tab has the same. No list shows the key, and it
 * ends with its session.
 */
export class SessionKeys {
  readonly #options: SessionKeysOptions;

  constructor(options: SessionKeysOptions) {
    this.#options = options;
  }

  async open(
    principal: Principal,
    place: { readonly project_id?: string | undefined; readonly environment?: Environment | undefined },
    by: AuditActor,
  ): Promise<SessionKey> {
    const { storage, clock } = this.#options;
    const { project, environment } = tenantScopeIn(principal, place);
    if (principal.person === null || project === '')
      throw new ApiError('not_found', 'You are not a member of any project yet.', { param: 'project_id' });
    await this.#mustExist(principal.orgId, project);
    const issued = this.#issue(principal.credentialId, project, environment);
    const now = clock.now();
    const expiresAt = Math.min(now + LIFETIME_MS, principal.expiresAt ?? Number.MAX_SAFE_INTEGER);
    const scopes = scopesOf(principal.person.role);
    const row: ApiKeyRow = {
      id: `key_${issued.id}`,
      org_id: principal.orgId,
      project_id: project,
      name: 'Console',
      environment,
      scopes: JSON.stringify(scopes),
      secret_hash: issued.hash,
      hint: hintOf(issued.text),
      budget_micros: null,
      created_by: principal.userId,
      created_at: now,
      expires_at: expiresAt,
      revoked_at: null,
      rotated_at: null,
      session_id: principal.credentialId,
    };
    const notice = { id: row.id, dead: false };
    await storage.transaction(async (trx) => {
      await this.#write(trx, row, by);
      await storage.notify(CREDENTIALS_TOPIC, JSON.stringify(notice), trx);
    });
    this.#options.onChange(notice);
    return { text: issued.text, projectId: project, environment, scopes, expiresAt };
  }

  async #write(trx: Transaction<Tables>, row: ApiKeyRow, by: AuditActor): Promise<void> {
    const written = await trx
      .insertInto('api_keys')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (written === undefined) {
      const { scopes, expires_at } = row;
      await trx.updateTable('api_keys').set({ scopes, expires_at }).where('id', '=', row.id).execute();
      return;
    }
    await appendAuditRecord(trx, this.#options.clock.now(), {
      orgId: row.org_id,
      place: { projectId: row.project_id, environment: row.environment },
      by,
      action: 'session_key.created',
      target: row.id,
      before: null,
      after: { scopes: JSON.parse(row.scopes) as string[], hint: row.hint },
    });
  }

  async #mustExist(orgId: string, projectId: string): Promise<void> {
    const found = await this.#options.storage.db
      .selectFrom('projects')
      .select('id')
      .where('id', '=', projectId)
      .where('org_id', '=', orgId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (found === undefined)
      throw new NoSuchError('project in your organization', {
        param: 'project_id',
      });
  }

  /** Ends the sessions' keys in the caller's transaction. The caller then passes the result to `ended`. */
  async endIn(trx: Transaction<Tables>, sessionIds: readonly string[]): Promise<string[]> {
    if (sessionIds.length === 0) return [];
    const { storage, clock } = this.#options;
    const now = clock.now();
    const rows = await trx
      .updateTable('api_keys')
      .set({ expires_at: now })
      .where('session_id', 'in', sessionIds)
      .where('expires_at', '>', now)
      .returning('id')
      .execute();
    for (const { id } of rows)
      await storage.notify(CREDENTIALS_TOPIC, JSON.stringify({ id, dead: true }), trx);
    return rows.map(({ id }) => id);
  }

  /** Ends a person's keys when their role or projects change. The keys of the session `except` continue. */
  async endOfPersonIn(trx: Transaction<Tables>, userId: string, except = ''): Promise<string[]> {
    const rows = await trx
      .selectFrom('console_sessions')
      .select('id')
      .where('user_id', '=', userId)
      .where('id', '!=', except)
      .execute();
    return await this.endIn(
      trx,
      rows.map(({ id }) => id),
    );
  }

  ended(ids: readonly string[]): void {
    for (const id of ids) this.#options.onChange({ id, dead: true });
  }

  #issue(sessionId: string, projectId: string, environment: Environment): IssuedCredential {
    const { secret } = this.#options;
    const digest = createHmac('sha512', secret)
      .update(`session key\n${sessionId}\n${projectId}\n${environment}`)
      .digest();
    let text = '';
    for (const byte of digest.subarray(0, ID_LENGTH + SECRET_LENGTH)) text += ALPHABET[byte % 62];
    const kind = environment === 'live' ? 'live_key' : 'sandbox_key';
    return issueCredential(secret, kind, text.slice(0, ID_LENGTH), text.slice(ID_LENGTH));
  }
}
