import type { TenantScope } from '../../../foundation/access/contract.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import { type Storage, withinTenant } from '../../../foundation/storage/index.ts';
import type { TracePackRow } from '../../../foundation/storage/tables/trace.ts';
import type { Severity } from '../contract.ts';
import type { AppliedPack } from '../judge.ts';
import { type BuiltinPack, builtinPacks } from './builtin.ts';
import { tagOf } from './reading.ts';
import type { RulePack } from './schema.ts';

export interface PackView {
  readonly id: string;
  readonly object: 'trace.rule_pack';
  readonly pack_id: string;
  readonly version: string;
  readonly builtin: boolean;
  readonly jurisdiction: string;
  readonly legal_status: string;
  readonly etag: string;
  readonly status: 'active' | 'retired';
  readonly created_at: number;
  readonly spec: RulePack;
}

/** A pack in a configuration: an id, or a name, which refers to the newest active version. */
export interface ChosenPack {
  readonly id: string;
  readonly severity?: Severity | undefined;
}

/** Finds users of packs beside Trace's configurations: their name, and the ids or names of their packs. */
export type PackUsers = (
  trx: Parameters<typeof withinTenant>[0],
  scope: TenantScope,
) => Promise<readonly { readonly what: string; readonly packs: readonly string[] }[]>;

const MOST_PACKS = 500;

export class Packs {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #users: PackUsers[] = [];

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** `users` are asked in the transaction that deletes a pack. */
  namedBy(users: PackUsers): void {
    this.#users.push(users);
  }

  /** Returns the built-in packs, then the organization's own, newest first. */
  async list(scope: TenantScope): Promise<PackView[]> {
    return [...builtinPacks().map(builtinView), ...(await this.#own(scope)).map(viewOf)];
  }

  async find(scope: TenantScope, id: string): Promise<PackView | null> {
    const builtin = builtinPacks().find((pack) => pack.id === id);
    if (builtin !== undefined) return builtinView(builtin);
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('trace_packs')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row === undefined ? null : viewOf(row);
  }

  /** Returns an existing version with the same rules; refuses one with other rules. */
  async upload(scope: TenantScope, pack: RulePack): Promise<PackView> {
    if (builtinPacks().some(({ pack: { pack_id } }) => pack_id === pack.pack_id))
      throw new ApiError('invalid_request', `${pack.pack_id} is a built-in pack; choose another pack_id.`, {
        param: 'spec.pack_id',
      });
    const row = { ...this.#rowOf(pack), created_at: this.#clock.now() };
    return await this.#storage.transaction(async (trx) => {
      const own = withinTenant(trx, scope);
      const written = await own
        .insertInto('trace_packs', row)
        .onConflict((conflict) =>
          conflict.columns(['org_id', 'project_id', 'environment', 'pack_id', 'version']).doNothing(),
        )
        .returningAll()
        .executeTakeFirst();
      if (written !== undefined) return viewOf(written);
      const before = await own
        .selectFrom('trace_packs')
        .selectAll()
        .where('pack_id', '=', pack.pack_id)
        .where('version', '=', pack.version)
        .executeTakeFirstOrThrow();
      if (before.etag === row.etag) return viewOf(before);
      throw new ApiError(
        'version_conflict',
        `${pack.pack_id} ${pack.version} exists with other rules: a version is immutable, so publish the change as a new version.`,
      );
    });
  }

  /** An `etag` of another version than the stored one is refused. */
  async move(
    scope: TenantScope,
    id: string,
    status: PackView['status'],
    etag: string | null,
  ): Promise<PackView> {
    const before = await this.find(scope, id);
    if (before === null) throw noSuchPack();
    if (before.builtin) throw new ApiError('invalid_request', 'A built-in pack is always active.');
    if (etag !== null && etag !== before.etag)
      throw new ApiError('version_conflict', 'If-Match is not the etag of this pack.');
    await withinTenant(this.#storage.db, scope)
      .updateTable('trace_packs')
      .set({ status })
      .where('id', '=', id)
      .execute();
    return { ...before, status };
  }

  /**
   * Removes a version of the organization's own packs; refuses while a configuration or a scorecard uses it, because
   * judging would stop silently.
   */
  async remove(scope: TenantScope, id: string, etag: string | null): Promise<void> {
    const before = await this.find(scope, id);
    if (before === null) throw noSuchPack();
    if (before.builtin)
      throw new ApiError('invalid_request', 'A built-in pack cannot be deleted.', { param: 'id' });
    if (etag !== null && etag !== before.etag)
      throw new ApiError('version_conflict', 'If-Match is not the etag of this pack.');
    await this.#storage.transaction(async (trx) => {
      const own = withinTenant(trx, scope);
      const settings = await own.selectFrom('trace_settings').select(['agent_id', 'settings']).execute();
      const others = await own
        .selectFrom('trace_packs')
        .select('id')
        .where('pack_id', '=', before.pack_id)
        .where('id', '!=', id)
        .where('status', '=', 'active')
        .execute();
      // The name of a pack refers to its newest version, so that another version takes its place.
      const names = others.length > 0 ? [id] : [id, before.pack_id];
      const user = settings.find((one) => namesIn(one.settings).some((name) => names.includes(name)));
      if (user !== undefined)
        throw new ApiError(
          'invalid_request',
          `The configuration of ${user.agent_id === '' ? 'all agents' : user.agent_id} uses this pack: remove it from rule_packs first, or retire the pack.`,
          { param: 'id' },
        );
      for (const users of this.#users) {
        const other = (await users(trx, scope)).find(({ packs }) =>
          packs.some((name) => names.includes(name)),
        );
        if (other !== undefined)
          throw new ApiError(
            'invalid_request',
            `${other.what} uses this pack: delete it first, or retire the pack.`,
            { param: 'id' },
          );
      }
      await own.deleteFrom('trace_packs').where('id', '=', id).execute();
    });
  }

  /** Returns the packs that a configuration or a request names. Throws ApiError for a missing one. */
  async chosen(scope: TenantScope, asked: readonly ChosenPack[]): Promise<AppliedPack[]> {
    const all = asked.length === 0 ? [] : await this.list(scope);
    return asked.map(({ id, severity }) => {
      const pack = named(all, id);
      if (pack === undefined)
        throw new ApiError('invalid_request', `There is no rule pack ${id}.`, { param: 'rule_packs' });
      return { id: pack.id, pack: pack.spec, severity };
    });
  }

  /** Returns null where the pack was removed. */
  async applied(scope: TenantScope, id: string): Promise<AppliedPack | null> {
    const pack = named(await this.list(scope), id);
    return pack === undefined ? null : { id: pack.id, pack: pack.spec, severity: undefined };
  }

  async #own(scope: TenantScope): Promise<TracePackRow[]> {
    return await withinTenant(this.#storage.db, scope)
      .selectFrom('trace_packs')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MOST_PACKS)
      .execute();
  }

  #rowOf(pack: RulePack) {
    return {
      id: newId('tpack'),
      pack_id: pack.pack_id,
      version: pack.version,
      etag: tagOf(pack),
      status: 'active' as const,
      spec: JSON.stringify(pack),
    };
  }
}

/** By its id, or by its name: then the newest version that is active. */
const named = (all: readonly PackView[], id: string): PackView | undefined =>
  all.find((pack) => pack.id === id) ??
  all.filter((pack) => pack.pack_id === id && pack.status === 'active').sort(byVersion)[0];

const namesIn = (settings: string): string[] =>
  ((JSON.parse(settings) as { rule_packs?: ChosenPack[] }).rule_packs ?? []).map(({ id }) => id);

export const noSuchPack = (): ApiError => new NoSuchError('rule pack');

const parts = (version: string): number[] => version.split('.').map(Number);
/** The newest first. */
function byVersion(a: PackView, b: PackView): number {
  const [one, other] = [parts(a.version), parts(b.version)];
  return [0, 1, 2].map((at) => (other[at] as number) - (one[at] as number)).find((by) => by !== 0) ?? 0;
}

const shown = (pack: RulePack) => ({
  object: 'trace.rule_pack' as const,
  pack_id: pack.pack_id,
  version: pack.version,
  jurisdiction: pack.jurisdiction,
  legal_status: pack.legal_status,
  spec: pack,
});

const builtinView = ({ id, etag, pack, createdAt }: BuiltinPack): PackView => ({
  id,
  ...shown(pack),
  builtin: true,
  etag,
  status: 'active',
  created_at: createdAt,
});

const viewOf = ({ id, etag, status, spec, created_at }: TracePackRow): PackView => ({
  id,
  ...shown(JSON.parse(spec) as RulePack),
  builtin: false,
  etag,
  status,
  created_at: Number(created_at),
});
