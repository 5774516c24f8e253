import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import { type AmdSettings, DEFAULT_SETTINGS, type DetectionSettings } from '../../speech/amd/index.ts';

export class AmdSettingsStore implements DetectionSettings {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  async get(scope: TenantScope): Promise<AmdSettings> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('amd_settings')
      .select('settings')
      .executeTakeFirst();
    return row === undefined
      ? DEFAULT_SETTINGS
      : { ...DEFAULT_SETTINGS, ...(JSON.parse(row.settings) as AmdSettings) };
  }

  async change(scope: TenantScope, change: Partial<AmdSettings>): Promise<AmdSettings> {
    const said = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const settings = { ...(await this.get(scope)), ...said };
    const values = { settings: JSON.stringify(settings), updated_at: this.#clock.now() };
    await withinTenant(this.#storage.db, scope)
      .insertInto('amd_settings', values)
      .onConflict((conflict) => conflict.columns(['org_id', 'project_id', 'environment']).doUpdateSet(values))
      .execute();
    return settings;
  }
}
