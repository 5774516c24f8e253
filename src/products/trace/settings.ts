import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import { agentIdsOf } from './agent-shares.ts';
import type { Conversation } from './contract.ts';
import type { ChosenPack } from './packs/store.ts';

export interface GateSettings {
  readonly require_consent: boolean;
  /** The hours are in the recipient's zone; null permits any hour. */
  readonly quiet_hours: { readonly from: string; readonly to: string } | null;
  /** The number of attempts is unlimited when this is null. */
  readonly attempts: { readonly most: number; readonly window_hours: number } | null;
}

export interface TraceSettings {
  readonly enabled: boolean;
  readonly rule_packs: readonly ChosenPack[];
  readonly actions: {
    readonly on_violation: 'flag' | 'block' | 'handoff';
    readonly safe_line: string | null;
  };
  /** Personal data is taken out of the records of calls before they are kept. */
  readonly redact_records: boolean;
  readonly webhook_url: string | null;
  readonly gate: GateSettings;
}

export const AT_FIRST: TraceSettings = {
  enabled: false,
  rule_packs: [{ id: 'TCPA' }, { id: 'PII' }],
  actions: { on_violation: 'flag', safe_line: null },
  redact_records: false,
  webhook_url: null,
  gate: {
    require_consent: true,
    quiet_hours: { from: '21:00', to: '08:00' },
    attempts: { most: 7, window_hours: 168 },
  },
};

/** How each agent's conversations are judged; the agent without a name stands for all that have no settings. */
export class TraceSettingsStore {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  async of(scope: TenantScope, agentId: string | null): Promise<TraceSettings> {
    const rows = await withinTenant(this.#storage.db, scope)
      .selectFrom('trace_settings')
      .select(['agent_id', 'settings'])
      .where('agent_id', 'in', agentId === null ? [''] : ['', agentId])
      .execute();
    const row = rows.find(({ agent_id }) => agent_id === agentId) ?? rows[0];
    return row === undefined ? AT_FIRST : { ...AT_FIRST, ...(JSON.parse(row.settings) as TraceSettings) };
  }

  /**
   * The settings by which a conversation is judged: those of the agent that began it, with the packs of the others
   * that had it. A pack that several name has the severity of the first.
   */
  async ofConversation(
    scope: TenantScope,
    conversation: Partial<Pick<Conversation, 'agents' | 'agentId'>>,
  ): Promise<TraceSettings> {
    const all = await Promise.all(agentIdsOf(conversation).map((agentId) => this.of(scope, agentId)));
    const [first = AT_FIRST, ...others] = all;
    const enabled = all.filter((one) => one.enabled);
    if (others.length === 0 || enabled.length === 0) return first;
    const packs = new Map<string, ChosenPack>();
    for (const pack of enabled.flatMap((one) => one.rule_packs))
      if (!packs.has(pack.id)) packs.set(pack.id, pack);
    const webhook = enabled.find((one) => one.webhook_url !== null)?.webhook_url ?? null;
    return { ...first, enabled: true, rule_packs: [...packs.values()], webhook_url: webhook };
  }

  async put(scope: TenantScope, agentId: string | null, settings: TraceSettings): Promise<void> {
    const values = { settings: JSON.stringify(settings), updated_at: this.#clock.now() };
    await withinTenant(this.#storage.db, scope)
      .insertInto('trace_settings', { agent_id: agentId ?? '', ...values })
      .onConflict((conflict) =>
        conflict.columns(['org_id', 'project_id', 'environment', 'agent_id']).doUpdateSet(values),
      )
      .execute();
  }
}
