import { createHash } from 'node:crypto';
import type { Principal } from '../../foundation/access/contract.ts';
import { type Sealer, type TenantScope, tenantScopeOf } from '../../foundation/access/index.ts';
import { type AuditActor, appendAuditRecord, auditScope } from '../../foundation/audit/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../foundation/platform/errors.ts';
import { newId, randomBase62 } from '../../foundation/platform/ids.ts';
import { acrossTenants, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { SipTelephoneRow } from '../../foundation/storage/tables/telephony.ts';
import type { CallTenant, Telephones } from '../carriers/index.ts';

export interface SipTelephonesOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly sealer: Sealer;
  /** It is null where telephones cannot register; the list and removals work there too. */
  readonly realm: string | null;
}

export interface SipTelephoneView {
  readonly id: string;
  readonly object: 'telephony.registration';
  readonly username: string;
  readonly number: string | null;
  readonly address: string | null;
  readonly created_at: number;
}

/** The limit of a project. */
export const MOST_TELEPHONES = 200;
const PASSWORD_CHARACTERS = 24;

/** The telephones of customers that may register by SIP, with their numbers. */
export class SipTelephones implements Telephones {
  readonly realm: string;
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #sealer: Sealer;

  constructor({ storage, clock, sealer, realm }: SipTelephonesOptions) {
    this.#storage = storage;
    this.#clock = clock;
    this.#sealer = sealer;
    this.realm = realm ?? '';
  }

  get canRegister(): boolean {
    return this.realm !== '';
  }

  /** The password is told once: what is stored serves the digest alone. */
  async create(
    principal: Principal,
    { username, number }: { readonly username: string; readonly number: string | null },
    by: AuditActor,
  ): Promise<{ readonly view: SipTelephoneView; readonly password: string }> {
    if (!this.canRegister)
      throw new ApiError(
        'not_found',
        'This server does not register telephones: TRUNKLINE_SIP_REGISTRAR is off.',
      );
    const scope = tenantScopeOf(principal);
    const id = newId('reg');
    const password = randomBase62(PASSWORD_CHARACTERS);
    const secret = createHash('md5').update(`${username}:${this.realm}:${password}`).digest('hex');
    const row = {
      id,
      key_id: principal.keyId,
      username,
      phone_number: number,
      secret: this.#sealer.seal(secret, id),
      created_at: this.#clock.now(),
    };
    await this.#storage.transaction(async (trx) => {
      const { count } = await withinTenant(trx, scope)
        .selectFrom('sip_telephones')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (Number(count) >= MOST_TELEPHONES)
        throw new ApiError('invalid_request', `A project can have at most ${MOST_TELEPHONES} telephones.`);
      if (number !== null && !(await this.#isActive(trx, scope, number)))
        throw new ApiError('invalid_request', 'number must be an active number of the project.', {
          param: 'number',
        });
      const made = await withinTenant(trx, scope)
        .insertInto('sip_telephones', row)
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      if (made === undefined) throw await this.#conflict(trx, scope, number);
      await appendAuditRecord(trx, this.#clock.now(), {
        ...auditScope(scope),
        by,
        action: 'registration.created',
        target: id,
        before: null,
        after: { username, number },
      });
    });
    return { view: this.#view(row), password };
  }

  async list(scope: TenantScope): Promise<SipTelephoneView[]> {
    const rows = await withinTenant(this.#storage.db, scope)
      .selectFrom('sip_telephones')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute();
    return rows.map((row) => this.#view(row));
  }

  async remove(scope: TenantScope, id: string, by: AuditActor): Promise<void> {
    await this.#storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .deleteFrom('sip_telephones')
        .where('id', '=', id)
        .returning(['username', 'phone_number'])
        .executeTakeFirst();
      if (row === undefined) throw new NoSuchError('registration');
      await appendAuditRecord(trx, this.#clock.now(), {
        ...auditScope(scope),
        by,
        action: 'registration.deleted',
        target: id,
        before: { username: row.username, number: row.phone_number },
        after: null,
      });
    });
  }

  async accountOf(username: string): Promise<{ id: string; secret: string } | null> {
    const row = await acrossTenants(this.#storage.db)
      .selectFrom('sip_telephones')
      .select(['id', 'secret'])
      .where('username', '=', username)
      .executeTakeFirst();
    return row === undefined ? null : { id: row.id, secret: this.#sealer.open(row.secret, row.id) };
  }

  isAddress(to: string): boolean {
    return partsOf(to)?.host.toLowerCase() === this.realm.toLowerCase();
  }

  async idOf({ org, project, environment }: CallTenant, to: string): Promise<string | null> {
    const scope = tenantScopeOf({ orgId: org, projectId: project, environment });
    if (/^sips?:/i.test(to) && !this.isAddress(to)) return null;
    const username = partsOf(to)?.username;
    const rows = withinTenant(this.#storage.db, scope).selectFrom('sip_telephones').select('id');
    const row = await (username === undefined
      ? rows.where('phone_number', '=', to)
      : rows.where('username', '=', username)
    ).executeTakeFirst();
    if (row === undefined) return null;
    const stillHas = username !== undefined || (await this.#isActive(this.#storage.db, scope, to));
    return stillHas ? row.id : null;
  }

  async #conflict(
    db: Parameters<typeof withinTenant>[0],
    scope: TenantScope,
    number: string | null,
  ): Promise<ApiError> {
    const other = await withinTenant(db, scope)
      .selectFrom('sip_telephones')
      .select('id')
      .where('phone_number', '=', number)
      .executeTakeFirst();
    return number === null || other === undefined
      ? new ApiError('invalid_request', 'The username is in use on this server.', { param: 'username' })
      : new ApiError('invalid_request', `The number already has a telephone: ${other.id}.`, {
          param: 'number',
        });
  }

  async #isActive(
    db: Parameters<typeof withinTenant>[0],
    scope: TenantScope,
    number: string,
  ): Promise<boolean> {
    const row = await withinTenant(db, scope)
      .selectFrom('telephony_numbers')
      .select('id')
      .where('phone_number', '=', number)
      .where('status', '=', 'active')
      .executeTakeFirst();
    return row !== undefined;
  }

  #view({
    id,
    username,
    phone_number: number,
    created_at,
  }: Pick<SipTelephoneRow, 'id' | 'username' | 'phone_number' | 'created_at'>): SipTelephoneView {
    return {
      id,
      object: 'telephony.registration',
      username,
      number,
      address: this.canRegister ? `sip:${username}@${this.realm}` : null,
      created_at: Number(created_at),
    };
  }
}

function partsOf(to: string): { readonly username: string; readonly host: string } | null {
  const [, username, host] = /^sips?:([^@;>:?]+)@([^;:>?]+)/i.exec(to) ?? [];
  return username === undefined || host === undefined ? null : { username, host };
}
