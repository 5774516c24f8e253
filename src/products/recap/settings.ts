import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { CrmField, RecapConfig } from './contract.ts';

export interface RecapSettings {
  readonly config: RecapConfig;
  readonly fields: readonly CrmField[];
}

const AT_FIRST: RecapSettings = { config: { enabled: false, webhook_url: null }, fields: [] };

export class RecapSettingsStore {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  async of(scope: TenantScope): Promise<RecapSettings> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('recap_settings')
      .select(['config', 'crm'])
      .executeTakeFirst();
    if (row === undefined) return AT_FIRST;
    return { config: JSON.parse(row.config) as RecapConfig, fields: JSON.parse(row.crm) as CrmField[] };
  }

  async put(scope: TenantScope, change: Partial<RecapSettings>): Promise<RecapSettings> {
    const settings = { ...(await this.of(scope)), ...change };
    const values = {
      config: JSON.stringify(settings.config),
      crm: JSON.stringify(settings.fields),
      updated_at: this.#clock.now(),
    };
    await withinTenant(this.#storage.db, scope)
      .insertInto('recap_settings', values)
      .onConflict((conflict) => conflict.columns(['org_id', 'project_id', 'environment']).doUpdateSet(values))
      .execute();
    return settings;
  }
}
