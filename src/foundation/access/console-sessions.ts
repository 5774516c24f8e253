import type { Selectable, Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import type { Storage, Tables } from '../storage/index.ts';
import type { ConsoleSessionRow } from '../storage/tables/access.ts';
import { canonicalEmail } from './accounts.ts';
import type { MemberRole, Principal } from './contract.ts';
import {
  type Credential,
  hashesMatch,
  type IssuedCredential,
  issueCredential,
  rotatedCredential,
} from './credential.ts';
import { CREDENTIALS_TOPIC, type CredentialNotice } from './credential-revocations.ts';
import { passwordMatches } from './passwords.ts';
import { invalidatedCredential, invalidCredential, wrongPassword } from './refusals.ts';
import { reachesAllProjects } from './roles.ts';
import type { SessionKeys } from './session-keys.ts';

const LIFETIME_MS = 30 * 86_400_000;
const IDLE_MS = 7 * 86_400_000;
const ROTATE_MS = 15 * 60_000;
/** The old secret stays valid this long for requests in flight when the new one is first used. */
const OVERLAP_MS = 60_000;
const SEEN_MS = 60_000;

type Row = Selectable<ConsoleSessionRow>;

export interface ConsoleSession {
  readonly id: string;
  readonly userId: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly person: NonNullable<Principal['person']>;
  readonly expiresAt: number;
  /** It is the next secret where rotation is due. The old one stays valid until this one is used. */
  readonly successor: string | null;
}

export interface SignedInSession {
  readonly token: string;
  readonly expiresAt: number;
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly organization: { readonly id: string; readonly name: string };
}

export interface SessionOrigin {
  readonly address: string | null;
  readonly agent: string | null;
}

export interface ListedSession {
  readonly id: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  readonly address: string | null;
  readonly agent: string | null;
}

const UNKNOWN_ORIGIN: SessionOrigin = { address: null, agent: null };
const LONGEST_AGENT = 300;

export interface ConsoleSessionsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secret: Buffer;
  readonly onChange: (notice: CredentialNotice) => void;
  readonly keys: Pick<SessionKeys, 'endIn' | 'endOfPersonIn' | 'ended'>;
  readonly mustConfirm?: () => boolean;
}

/**
 * Stores only hashes, and rotates secrets. A replaced secret that is presented again revokes its session, because
 * somebody else may hold it.
 */
export class ConsoleSessions {
  readonly #options: ConsoleSessionsOptions;

  constructor(options: ConsoleSessionsOptions) {
    this.#options = options;
  }

  /** Sign-in has no limit of attempts: the cost of the password hash slows guessing. */
  async signIn(email: string, password: string, visitor = UNKNOWN_ORIGIN): Promise<SignedInSession> {
    const user = await this.#options.storage.db
      .selectFrom('users')
      .select(['id', 'password_hash', 'email_verified_at'])
      .where('email', '=', canonicalEmail(email))
      .executeTakeFirst();
    // A person who has no password costs the same work as one who does not exist.
    const hash = user === undefined || user.password_hash === '' ? null : user.password_hash;
    if (!(await passwordMatches(password, hash, visitor.address ?? '')) || user === undefined)
      throw wrongPassword();
    // The answer equals the one for a wrong password, so that it does not reveal whether an address has an
    // account.
    if (user.email_verified_at === null && this.#options.mustConfirm?.() === true) throw wrongPassword();
    return await this.begin(user.id, visitor);
  }

  async begin(userId: string, visitor: SessionOrigin): Promise<SignedInSession> {
    const { storage, clock, secret } = this.#options;
    const user = await storage.db
      .selectFrom('users as u')
      .innerJoin('organizations as o', 'o.id', 'u.org_id')
      .select(['u.id', 'u.email', 'u.name', 'u.org_id', 'o.name as org_name'])
      .where('u.id', '=', userId)
      .executeTakeFirstOrThrow();
    const issued = issueCredential(secret, 'console_session');
    const now = clock.now();
    await storage.db
      .insertInto('console_sessions')
      .values({
        id: `sess_${issued.id}`,
        user_id: user.id,
        org_id: user.org_id,
        hash: issued.hash,
        successor_hash: null,
        previous_hash: null,
        previous_until: null,
        rotated_at: now,
        created_at: now,
        last_seen_at: now,
        expires_at: now + LIFETIME_MS,
        revoked_at: null,
        source: visitor.address,
        agent: visitor.agent?.slice(0, LONGEST_AGENT) ?? null,
      })
      .execute();
    return {
      token: issued.text,
      expiresAt: now + LIFETIME_MS,
      user: { id: user.id, email: user.email, name: user.name },
      organization: { id: user.org_id, name: user.org_name },
    };
  }

  async identify(text: string, credential: Credential): Promise<ConsoleSession> {
    const { storage, clock } = this.#options;
    const now = clock.now();
    const row = await storage.db
      .selectFrom('console_sessions as s')
      .leftJoin('users as u', 'u.id', 's.user_id')
      .selectAll('s')
      .select('u.role')
      .where('s.id', '=', `sess_${credential.id}`)
      .executeTakeFirst();
    if (row === undefined) throw invalidCredential();
    if (row.revoked_at !== null) throw invalidatedCredential('revoked');
    if (row.expires_at <= now || row.last_seen_at + IDLE_MS <= now) throw invalidatedCredential('expired');
    const successor = await this.#advance(row, text, credential, now);
    if (row.role === null) throw invalidatedCredential('revoked');
    const projects = await this.#projectsOf(row.user_id, row.org_id, row.role);
    return {
      id: row.id,
      userId: row.user_id,
      orgId: row.org_id,
      projectId: projects[0] ?? '',
      person: { role: row.role, projects: reachesAllProjects(row.role) ? null : projects },
      expiresAt: row.expires_at,
      successor: successor?.text ?? null,
    };
  }

  async #projectsOf(userId: string, orgId: string, role: MemberRole): Promise<string[]> {
    let query = this.#options.storage.db
      .selectFrom('projects as p')
      .select('p.id')
      .where('p.org_id', '=', orgId)
      .where('p.deleted_at', 'is', null);
    if (!reachesAllProjects(role)) {
      query = query.innerJoin('project_members as m', 'm.project_id', 'p.id').where('m.user_id', '=', userId);
    }
    return (await query.orderBy('p.created_at').orderBy('p.id').execute()).map(({ id }) => id);
  }

  async list(userId: string): Promise<ListedSession[]> {
    const now = this.#options.clock.now();
    const rows = await this.#options.storage.db
      .selectFrom('console_sessions')
      .selectAll()
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .where('last_seen_at', '>', now - IDLE_MS)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      createdAt: Number(row.created_at),
      lastSeenAt: Number(row.last_seen_at),
      expiresAt: Number(row.expires_at),
      address: row.source,
      agent: row.agent,
    }));
  }

  async revokeOf(userId: string, id: string): Promise<boolean> {
    const own = await this.#options.storage.db
      .selectFrom('console_sessions')
      .select('id')
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (own === undefined) return false;
    await this.revoke(id);
    return true;
  }

  /**
   * Ends every session of a person except `except` in the caller's transaction. The caller then passes the result to
   * `ended`.
   */
  async endAllIn(trx: Transaction<Tables>, userId: string, except = ''): Promise<string[]> {
    const keys = await this.#options.keys.endOfPersonIn(trx, userId, except);
    const rows = await trx
      .deleteFrom('console_sessions')
      .where('user_id', '=', userId)
      .where('id', '!=', except)
      .returning('id')
      .execute();
    for (const { id } of rows) {
      await this.#options.storage.notify(CREDENTIALS_TOPIC, JSON.stringify({ id, dead: true }), trx);
    }
    return [...rows.map(({ id }) => id), ...keys];
  }

  ended(ids: readonly string[]): void {
    for (const id of ids) this.#options.onChange({ id, dead: true });
  }

  async describe(id: string): Promise<Omit<SignedInSession, 'token'>> {
    const row = await this.#options.storage.db
      .selectFrom('console_sessions as s')
      .innerJoin('users as u', 'u.id', 's.user_id')
      .innerJoin('organizations as o', 'o.id', 's.org_id')
      .select(['s.expires_at', 'u.id', 'u.email', 'u.name', 'o.id as org_id', 'o.name as org_name'])
      .where('s.id', '=', id)
      .executeTakeFirstOrThrow();
    return {
      expiresAt: row.expires_at,
      user: { id: row.id, email: row.email, name: row.name },
      organization: { id: row.org_id, name: row.org_name },
    };
  }

  async rotate(text: string, credential: Credential): Promise<string> {
    const next = rotatedCredential(this.#options.secret, text, credential);
    await this.#options.storage.db
      .updateTable('console_sessions')
      .set({ successor_hash: next.hash })
      .where('id', '=', `sess_${credential.id}`)
      .where('hash', '=', credential.hash)
      .execute();
    return next.text;
  }

  async revoke(id: string): Promise<void> {
    const { storage, clock, onChange, keys } = this.#options;
    const notice = { id, dead: true };
    const ended = await storage.transaction(async (transaction) => {
      await transaction
        .updateTable('console_sessions')
        .set({ revoked_at: clock.now() })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute();
      await storage.notify(CREDENTIALS_TOPIC, JSON.stringify(notice), transaction);
      return await keys.endIn(transaction, [id]);
    });
    onChange(notice);
    keys.ended(ended);
  }

  async #advance(
    row: Row,
    text: string,
    credential: Credential,
    now: number,
  ): Promise<IssuedCredential | null> {
    if (hashesMatch(row.hash, credential.hash)) return await this.#useCurrent(row, text, credential, now);
    if (row.successor_hash !== null && hashesMatch(row.successor_hash, credential.hash)) {
      await this.#promote(row, credential, now);
      return null;
    }
    if (row.previous_hash !== null && hashesMatch(row.previous_hash, credential.hash)) {
      if ((row.previous_until ?? 0) > now) return null;
      await this.revoke(row.id);
      throw invalidatedCredential('revoked');
    }
    // The secret is older than the previous one, or was never issued. The two cases cannot be distinguished, so the
    // session continues.
    throw invalidCredential();
  }

  async #useCurrent(row: Row, text: string, credential: Credential, now: number) {
    const { storage, secret } = this.#options;
    const due = now - row.rotated_at >= ROTATE_MS;
    const next = due ? rotatedCredential(secret, text, credential) : null;
    if (next !== null && row.successor_hash === null) {
      await storage.db
        .updateTable('console_sessions')
        .set({ successor_hash: next.hash, last_seen_at: now })
        .where('id', '=', row.id)
        .where('hash', '=', row.hash)
        .execute();
    } else if (now - row.last_seen_at >= SEEN_MS) {
      await storage.db
        .updateTable('console_sessions')
        .set({ last_seen_at: now })
        .where('id', '=', row.id)
        .execute();
    }
    return next;
  }

  async #promote(row: Row, credential: Credential, now: number): Promise<void> {
    await this.#options.storage.db
      .updateTable('console_sessions')
      .set({
        hash: credential.hash,
        successor_hash: null,
        previous_hash: row.hash,
        previous_until: now + OVERLAP_MS,
        rotated_at: now,
        last_seen_at: now,
      })
      .where('id', '=', row.id)
      .where('hash', '=', row.hash)
      .execute();
  }
}
