import { createHash } from 'node:crypto';
import { type TenantScope, tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { randomBase62 } from '../../foundation/platform/ids.ts';
import { acrossTenants, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { Provider } from './providers/index.ts';

const TOKEN_LENGTH = 43;
const PLACE = ['org_id', 'project_id', 'environment', 'provider'] as const;

export interface TokenOwner {
  readonly scope: TenantScope;
  readonly keyId: string;
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** A provider sends this token with each event; it identifies the project. Only its hash is stored. */
export class CallTokens {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** Revokes the previous token. */
  async mint(
    scope: TenantScope,
    keyId: string,
    provider: Provider,
  ): Promise<{ token: string; createdAt: number }> {
    const token = `cit_${randomBase62(TOKEN_LENGTH)}`;
    const now = this.#clock.now();
    const values = { token_hash: hashOf(token), key_id: keyId, created_at: now };
    await withinTenant(this.#storage.db, scope)
      .insertInto('call_tokens', { provider, ...values })
      .onConflict((conflict) => conflict.columns(PLACE).doUpdateSet(values))
      .execute();
    return { token, createdAt: now };
  }

  /** Returns null for an unknown token. */
  async owner(provider: Provider, token: string): Promise<TokenOwner | null> {
    const row = await acrossTenants(this.#storage.db)
      .selectFrom('call_tokens')
      .selectAll()
      .where('token_hash', '=', hashOf(token))
      .where('provider', '=', provider)
      .executeTakeFirst();
    return row === undefined ? null : { scope: tenantScopeOfRow(row), keyId: row.key_id };
  }
}
