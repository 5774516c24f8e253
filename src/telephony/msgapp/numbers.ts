import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Sealer, TenantScope } from '../../foundation/access/index.ts';
import { type AuditActor, appendAuditRecord, auditScope } from '../../foundation/audit/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import {
  acrossTenants,
  newestFirst,
  type Storage,
  type Tables,
  withinTenant,
} from '../../foundation/storage/index.ts';
import type { MsgappNumberRow } from '../../foundation/storage/tables/msgapp.ts';
import { type MsgappAccount, type MsgappProvider, ProviderFault } from './provider.ts';

export interface MsgappSecrets {
  readonly accessToken: string;
  readonly appSecret: string;
  readonly verifyToken: string;
}

export interface NumberRegistration extends MsgappSecrets {
  readonly keyId: string;
  readonly wabaId: string;
  readonly phoneNumberId: string;
  readonly phoneNumber: string;
  readonly appId: string;
}

type Change = Partial<
  Pick<MsgappNumberRow, 'agent_id' | 'calling_enabled' | 'calling_settings' | 'status' | 'released_at'>
>;

type Trx = Transaction<Tables>;

interface Rows {
  readonly before: MsgappNumberRow | null;
  readonly after: MsgappNumberRow;
}

const hashed = (text: string): string => createHash('sha256').update(text).digest('hex');

export class MsgappNumbers {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #sealer: Sealer;
  readonly #provider: Pick<MsgappProvider, 'settings'>;

  constructor(storage: Storage, clock: Clock, sealer: Sealer, provider: Pick<MsgappProvider, 'settings'>) {
    this.#storage = storage;
    this.#clock = clock;
    this.#sealer = sealer;
    this.#provider = provider;
  }

  async register(scope: TenantScope, asked: NumberRegistration, by: AuditActor): Promise<MsgappNumberRow> {
    const crowded = (await this.#unproven(this.#storage.db, asked.phoneNumberId)) >= MOST_UNPROVEN;
    // A registration without a valid access token can't block the number's owner.
    if (crowded && !(await this.#provesItself(asked))) throw notProven();
    const row = this.#rowOf(asked, crowded ? this.#clock.now() : null);
    return await this.#storage.transaction(async (trx) => {
      await refuseSecond(trx, scope, asked.phoneNumberId);
      if (!crowded && (await this.#unproven(trx, asked.phoneNumberId)) >= MOST_UNPROVEN) throw notProven();
      await withinTenant(trx, scope).insertInto('msgapp_numbers', row).execute();
      const after = await this.get(scope, row.id, trx);
      await this.#note(trx, scope, by, 'msgapp_number.registered', { before: null, after });
      return after;
    });
  }

  async list(
    scope: TenantScope,
    query: PageQuery & { readonly status?: MsgappNumberRow['status'] | undefined },
    after: PageEnd | null,
  ): Promise<MsgappNumberRow[]> {
    let rows = withinTenant(this.#storage.db, scope).selectFrom('msgapp_numbers').selectAll();
    if (query.status !== undefined) rows = rows.where('status', '=', query.status);
    return await newestFirst(rows, query, after).execute();
  }

  async get(scope: TenantScope, id: string, db: Storage['db'] = this.#storage.db): Promise<MsgappNumberRow> {
    const row = await withinTenant(db, scope)
      .selectFrom('msgapp_numbers')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw new ApiError('not_found', 'there is no such number');
    return row;
  }

  async active(scope: TenantScope, id: string): Promise<MsgappNumberRow> {
    const row = await this.get(scope, id);
    if (row.status === 'active') return row;
    throw new ApiError('invalid_request', 'the number was released', { param: 'id' });
  }

  async change(scope: TenantScope, id: string, change: Change, by: AuditActor): Promise<MsgappNumberRow> {
    return await this.#write(scope, id, change, by, 'msgapp_number.changed');
  }

  async release(scope: TenantScope, id: string, by: AuditActor): Promise<void> {
    const { status } = await this.get(scope, id);
    if (status === 'released') return;
    const gone = { status: 'released', released_at: this.#clock.now(), calling_enabled: 0 } as const;
    await this.#write(scope, id, gone, by, 'msgapp_number.released');
  }

  /**
   * The provider's events name no organization: the secret with which an event is signed selects the registration.
   * Proven owners come first, and the number of unproven registrations is limited.
   */
  async ofProvider(phoneNumberIds: readonly string[]): Promise<MsgappNumberRow[]> {
    if (phoneNumberIds.length === 0) return [];
    return await acrossTenants(this.#storage.db)
      .selectFrom('msgapp_numbers')
      .selectAll()
      .where('phone_number_id', 'in', [...phoneNumberIds])
      .where('status', '=', 'active')
      .orderBy((eb) => eb.case().when('proven_at', 'is', null).then(1).else(0).end())
      .orderBy('created_at')
      .execute();
  }

  async proven(scope: TenantScope, id: string): Promise<void> {
    await withinTenant(this.#storage.db, scope)
      .updateTable('msgapp_numbers')
      .set({ proven_at: this.#clock.now() })
      .where('id', '=', id)
      .where('proven_at', 'is', null)
      .execute();
  }

  async #unproven(db: Storage['db'], phoneNumberId: string): Promise<number> {
    const { count } = await acrossTenants(db)
      .selectFrom('msgapp_numbers')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('phone_number_id', '=', phoneNumberId)
      .where('status', '=', 'active')
      .where('proven_at', 'is', null)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async #provesItself({ phoneNumberId, accessToken }: NumberRegistration): Promise<boolean> {
    try {
      await this.#provider.settings({ phoneNumberId, accessToken });
      return true;
    } catch (error) {
      if (error instanceof ProviderFault || error instanceof ApiError) return false;
      throw error;
    }
  }

  async verifies(verifyToken: string): Promise<boolean> {
    const row = await acrossTenants(this.#storage.db)
      .selectFrom('msgapp_numbers')
      .select('id')
      .where('verify_sha256', '=', hashed(verifyToken))
      .where('status', '=', 'active')
      .executeTakeFirst();
    return row !== undefined;
  }

  secretsOf({ id, secrets }: MsgappNumberRow): MsgappSecrets {
    return JSON.parse(this.#sealer.open(secrets, id)) as MsgappSecrets;
  }

  accountOf(row: MsgappNumberRow): MsgappAccount {
    return { phoneNumberId: row.phone_number_id, accessToken: this.secretsOf(row).accessToken };
  }

  async #write(
    scope: TenantScope,
    id: string,
    change: Change,
    by: AuditActor,
    action: `msgapp_number.${string}`,
  ): Promise<MsgappNumberRow> {
    return await this.#storage.transaction(async (trx) => {
      const before = await this.get(scope, id, trx);
      await withinTenant(trx, scope)
        .updateTable('msgapp_numbers')
        .set({ ...change, updated_at: this.#clock.now() })
        .where('id', '=', id)
        .execute();
      const after = await this.get(scope, id, trx);
      await this.#note(trx, scope, by, action, { before, after });
      return after;
    });
  }

  async #note(
    trx: Trx,
    scope: TenantScope,
    by: AuditActor,
    action: string,
    { before, after }: Rows,
  ): Promise<void> {
    await appendAuditRecord(trx, this.#clock.now(), {
      ...auditScope(scope),
      by,
      action,
      target: after.id,
      before: before && auditFieldsOf(before),
      after: auditFieldsOf(after),
    });
  }

  #rowOf(asked: NumberRegistration, provenAt: number | null) {
    const id = newId('wan');
    const now = this.#clock.now();
    const { accessToken, appSecret, verifyToken } = asked;
    return {
      id,
      key_id: asked.keyId,
      waba_id: asked.wabaId,
      phone_number_id: asked.phoneNumberId,
      phone_number: asked.phoneNumber,
      app_id: asked.appId,
      secrets: this.#sealer.seal(JSON.stringify({ accessToken, appSecret, verifyToken }), id),
      verify_sha256: hashed(verifyToken),
      agent_id: null,
      calling_enabled: 0,
      calling_settings: '{}',
      status: 'active' as const,
      proven_at: provenAt,
      created_at: now,
      updated_at: now,
      released_at: null,
    };
  }
}

/**
 * The limit bounds the work per event: each event's signature is checked against all unproven registrations of the
 * number.
 */
const MOST_UNPROVEN = 20;

const notProven = (): ApiError =>
  new ApiError(
    'invalid_request',
    'the number is registered by another organization, and the provider rejected this access_token for it',
    { param: 'access_token' },
  );

/** Only these provider settings are shown: the provider may list more, including passwords of switches. */
const PUSHED_SETTINGS = [
  'status',
  'call_icon_visibility',
  'callback_permission_status',
  'call_hours',
] as const;

/** The audit log omits the secrets of a number. */
function auditFieldsOf(row: MsgappNumberRow) {
  const calling = JSON.parse(row.calling_settings) as Readonly<Record<string, unknown>>;
  return {
    phone_number: row.phone_number,
    status: row.status,
    agent_id: row.agent_id,
    calling: Object.fromEntries(
      PUSHED_SETTINGS.filter((name) => name in calling).map((name) => [name, calling[name]]),
    ),
  };
}

async function refuseSecond(trx: Trx, scope: TenantScope, phoneNumberId: string): Promise<void> {
  const row = await withinTenant(trx, scope)
    .selectFrom('msgapp_numbers')
    .select('id')
    .where('phone_number_id', '=', phoneNumberId)
    .where('status', '=', 'active')
    .executeTakeFirst();
  if (row === undefined) return;
  throw new ApiError('invalid_request', `the number is already registered as ${row.id}`, {
    param: 'phone_number_id',
  });
}
