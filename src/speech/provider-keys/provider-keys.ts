import type { Sealer, TenantScope } from '../../foundation/access/index.ts';
import { type AuditActor, appendAuditRecord, auditScope } from '../../foundation/audit/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { isId, newId } from '../../foundation/platform/ids.ts';
import { GateError, type UrlGate } from '../../foundation/platform/url-gate/index.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { ProviderKeyRow } from '../../foundation/storage/tables/providers.ts';
import { LOCAL_VOICE, NO_OWN_PROVIDERS, type OwnProviders } from '../providers/index.ts';
import { KeyRevisions } from './key-revisions.ts';
import {
  type OwnProviderOptions,
  openOwnRecognition,
  openOwnVoice,
  type ProviderKeySettings,
} from './open-own.ts';

export type { ProviderKeySettings } from './open-own.ts';
export type ProviderKeyPurpose = ProviderKeyRow['purpose'];

/** The limit of a project and environment. */
export const MOST_KEYS = 20;

const VERSION = /^[0-9a-z.-]{1,32}$/;

export interface ProviderKeysOptions {
  readonly storage: Storage;
  readonly clock: Pick<Clock, 'now'>;
  readonly sealer: Sealer;
  readonly gate: Pick<UrlGate, 'check' | 'fetch' | 'webSocket'>;
  /** The kinds for which the operator allows customers' own keys. */
  readonly allowed: readonly string[];
  /** The names of this server's recognizers. */
  readonly recognizers: () => readonly string[];
  readonly onError: (error: unknown, keyId: string | null) => void;
}

export interface ProviderKey {
  readonly id: string;
  readonly purpose: ProviderKeyPurpose;
  readonly name: string;
  readonly kind: string;
  readonly settings: ProviderKeySettings;
  readonly isAllowed: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewProviderKey {
  readonly purpose: ProviderKeyPurpose;
  readonly name: string;
  readonly kind: string;
  readonly key: string;
  readonly settings: ProviderKeySettings;
}

/** Customers' own keys of speech services elsewhere. A stored key is never shown again. */
export class ProviderKeys {
  readonly #options: ProviderKeysOptions;
  readonly #revisions: KeyRevisions;

  constructor(options: ProviderKeysOptions) {
    this.#options = options;
    this.#revisions = new KeyRevisions(options.storage);
  }

  stop(): void {
    this.#revisions.stop();
  }

  async list(scope: TenantScope): Promise<ProviderKey[]> {
    const rows = await this.#rows(scope);
    return rows.map((row) => this.#view(row));
  }

  /** The key comes with its url every time, because a stored one must not be sent to another host by a later change. */
  async put(scope: TenantScope, said: NewProviderKey, by: AuditActor): Promise<ProviderKey> {
    const { purpose, name, kind, key, settings } = said;
    this.#check(said);
    return this.#options.storage.transaction(async (trx) => {
      const rows = withinTenant(trx, scope);
      const before = await rows
        .selectFrom('provider_keys')
        .selectAll()
        .where('purpose', '=', purpose)
        .where('name', '=', name)
        .executeTakeFirst();
      const now = this.#options.clock.now();
      const id = before?.id ?? newId('pvk');
      const changed = {
        kind,
        settings: JSON.stringify(settings),
        secret: this.#options.sealer.seal(key, id),
        updated_at: before === undefined ? now : Math.max(now, Number(before.updated_at) + 1),
      };
      if (before === undefined) {
        const { count } = await rows
          .selectFrom('provider_keys')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        if (Number(count) >= MOST_KEYS)
          throw new ApiError('invalid_request', `A project has at most ${MOST_KEYS} provider keys.`);
      }
      const written =
        before === undefined
          ? await rows
              .insertInto('provider_keys', { id, purpose, name, ...changed, created_at: now })
              .onConflict((conflict) => conflict.doNothing())
              .returning('id')
              .executeTakeFirst()
          : await rows
              .updateTable('provider_keys')
              .set(changed)
              .where('id', '=', id)
              .returning('id')
              .executeTakeFirst();
      if (written === undefined)
        throw new ApiError(
          'version_conflict',
          'Another request changed this key at the same time. Retrieve the key and repeat the change.',
        );
      if (before !== undefined) await this.#revisions.publish({ id, revision: changed.updated_at }, trx);
      await this.#audit(trx, scope, by, before === undefined ? 'created' : 'replaced', id, {
        before: before === undefined ? null : auditedOf(before),
        after: { purpose, name, kind, ...settings },
      });
      return this.#view({ id, purpose, name, created_at: Number(before?.created_at ?? now), ...changed });
    });
  }

  async remove(scope: TenantScope, id: string, by: AuditActor): Promise<boolean> {
    if (!isId('pvk', id)) return false;
    return this.#options.storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .deleteFrom('provider_keys')
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return false;
      await this.#revisions.publish({ id, revision: null }, trx);
      await this.#audit(trx, scope, by, 'deleted', id, { before: auditedOf(row), after: null });
      return true;
    });
  }

  /** The names that the customer's agents may give. */
  async names(scope: TenantScope): Promise<{ voices: string[]; recognition: string[] }> {
    if (this.#options.allowed.length === 0) return { voices: [], recognition: [] };
    const keys = (await this.list(scope)).filter(({ isAllowed }) => isAllowed);
    const of = (purpose: ProviderKeyPurpose) =>
      keys.filter((key) => key.purpose === purpose).map(({ name }) => name);
    return { voices: of('voice'), recognition: of('recognition') };
  }

  /** Never rejects: the providers of the server serve a call whose keys cannot be read. */
  async open(scope: TenantScope): Promise<OwnProviders> {
    const { allowed, gate, onError } = this.#options;
    if (allowed.length === 0) return NO_OWN_PROVIDERS;
    const isCurrent = this.#revisions.watch();
    const rows = await this.#rows(scope).catch((error: unknown) => {
      onError(error, null);
      return [];
    });
    const opened = rows.flatMap((row): readonly [ProviderKeyPurpose, OwnProviderOptions][] => {
      if (!allowed.includes(row.kind)) return [];
      try {
        const { id, name, kind, purpose } = row;
        const settings = JSON.parse(row.settings) as ProviderKeySettings;
        // The operator may have narrowed the gate since.
        gate.check(settings.url);
        const key = this.#options.sealer.open(row.secret, id);
        const revision = Number(row.updated_at);
        const current = () => isCurrent(id, revision);
        const common = { name, kind, key, settings, gate, isCurrent: current };
        const ownKey = { id, organization: scope.org };
        return [[purpose, { id: `${id} ${revision}`, ownKey, ...common }]];
      } catch (error) {
        onError(error, row.id);
        return [];
      }
    });
    const of = (purpose: ProviderKeyPurpose) =>
      opened.filter(([one]) => one === purpose).map(([, options]) => options);
    return { voices: of('voice').map(openOwnVoice), recognition: of('recognition').map(openOwnRecognition) };
  }

  #check({ purpose, name, kind, settings }: NewProviderKey): void {
    const { allowed, gate, recognizers } = this.#options;
    const wrong = (param: string, message: string, cause?: unknown) =>
      new ApiError('invalid_request', message, { param, cause });
    if (!allowed.includes(kind)) {
      const choice = allowed.length === 0 ? 'none' : allowed.join(', ');
      throw wrong(
        'kind',
        `This server does not permit provider keys of the kind ${kind}; its operator permits ${choice}.`,
      );
    }
    const isTaken = purpose === 'voice' ? name === LOCAL_VOICE : recognizers().includes(name);
    if (isTaken) throw wrong('name', `The name ${name} is reserved for this server’s own ${purpose}.`);
    try {
      gate.check(settings.url);
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      throw wrong('url', error.message, error);
    }
    const { hash, searchParams } = new URL(settings.url);
    if (hash !== '') throw wrong('url', 'The URL must not contain a fragment (#).');
    // The URL is shown and audited as it is, so that a secret in it would be readable.
    const isOpen = [...searchParams].every(
      ([field, value]) => field === 'api-version' && VERSION.test(value),
    );
    if (!isOpen)
      throw wrong(
        'url',
        'The URL’s query may hold api-version alone, a version such as 2024-10-21. A secret belongs in key.',
      );
  }

  #rows(scope: TenantScope): Promise<ProviderKeyRow[]> {
    return withinTenant(this.#options.storage.db, scope)
      .selectFrom('provider_keys')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute();
  }

  #view(row: Omit<ProviderKeyRow, 'org_id' | 'project_id' | 'environment'>): ProviderKey {
    const { id, purpose, name, kind, settings, created_at: createdAt, updated_at: updatedAt } = row;
    return {
      id,
      purpose,
      name,
      kind,
      settings: JSON.parse(settings) as ProviderKeySettings,
      isAllowed: this.#options.allowed.includes(kind),
      createdAt: Number(createdAt),
      updatedAt: Number(updatedAt),
    };
  }

  #audit(
    trx: Parameters<typeof appendAuditRecord>[0],
    scope: TenantScope,
    by: AuditActor,
    what: 'created' | 'replaced' | 'deleted',
    target: string,
    snapshots: Pick<Parameters<typeof appendAuditRecord>[2], 'before' | 'after'>,
  ): Promise<unknown> {
    return appendAuditRecord(trx, this.#options.clock.now(), {
      ...auditScope(scope),
      by,
      action: `provider_key.${what}`,
      target,
      ...snapshots,
    });
  }
}

const auditedOf = ({ purpose, name, kind, settings }: ProviderKeyRow) => ({
  purpose,
  name,
  kind,
  ...(JSON.parse(settings) as ProviderKeySettings),
});
