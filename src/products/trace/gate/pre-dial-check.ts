import type { TenantScope } from '../../../foundation/access/contract.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import { type Storage, withinTenant } from '../../../foundation/storage/index.ts';
import { isQuiet, timeIn } from '../rules/quiet-hours.ts';
import type { GateSettings, TraceSettingsStore } from '../settings.ts';
import type { ContactPermissions } from './contact-permissions.ts';
import { canonicalNumber, zonesOf } from './zones.ts';

export type ContactRefusal =
  | 'invalid_number'
  | 'suppressed'
  | 'no_consent'
  | 'quiet_hours'
  | 'unknown_time_zone'
  | 'too_many_attempts';

export interface Reason {
  readonly code: ContactRefusal;
  readonly detail: string;
}

export interface GateAnswer {
  readonly object: 'trace.gate';
  readonly allowed: boolean;
  readonly reasons: readonly Reason[];
  readonly consent: { readonly id: string; readonly basis: string; readonly obtained_at: number } | null;
}

const HOUR_MS = 3_600_000;

/** Decides before each outbound call. A permitted call counts as an attempt. */
export class PreDialCheck {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #permissions: ContactPermissions;
  readonly #settings: TraceSettingsStore;

  constructor(storage: Storage, clock: Clock, permissions: ContactPermissions, settings: TraceSettingsStore) {
    this.#storage = storage;
    this.#clock = clock;
    this.#permissions = permissions;
    this.#settings = settings;
  }

  async ask(scope: TenantScope, to: string, agentId: string | null): Promise<GateAnswer> {
    const number = canonicalNumber(to);
    if (number === null)
      return answer([{ code: 'invalid_number', detail: 'the number is not a telephone number' }], null);
    const { gate } = await this.#settings.of(scope, agentId);
    const now = this.#clock.now();
    const consent = await this.#permissions.latestConsent(scope, number, now);
    const reasons = [
      await this.#suppressed(scope, number),
      consent === null && gate.require_consent ? NO_CONSENT : null,
      quiet(number, now, gate),
      await this.#tooMany(scope, number, now, gate),
    ].filter((reason) => reason !== null);
    const given = consent && {
      id: consent.id,
      basis: consent.basis,
      obtained_at: Number(consent.obtained_at),
    };
    if (reasons.length > 0) return answer(reasons, given);
    const id = newId('tatt');
    const own = withinTenant(this.#storage.db, scope);
    await own
      .insertInto('trace_attempts', { id, phone_number: number, agent_id: agentId, at: now })
      .execute();
    // Concurrent requests count too: a request that finds the window exceeded is refused.
    const overfull = await this.#tooMany(scope, number, now, gate, 1);
    if (overfull === null) return answer([], given);
    await own.deleteFrom('trace_attempts').where('id', '=', id).execute();
    return answer([overfull], given);
  }

  /** A number stays on the do-not-call list whatever consent there is; only a person removes it. */
  async #suppressed(scope: TenantScope, number: string): Promise<Reason | null> {
    const row = await this.#permissions.suppression(scope, number);
    return row === null ? null : { code: 'suppressed', detail: `on the do-not-call list: ${row.reason}` };
  }

  async #tooMany(
    scope: TenantScope,
    number: string,
    now: number,
    { attempts }: GateSettings,
    mine = 0,
  ): Promise<Reason | null> {
    if (attempts === null) return null;
    const { count: all } = await withinTenant(this.#storage.db, scope)
      .selectFrom('trace_attempts')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('phone_number', '=', number)
      .where('at', '>', now - attempts.window_hours * HOUR_MS)
      .executeTakeFirstOrThrow();
    const count = Number(all) - mine;
    if (count < attempts.most) return null;
    const detail = `called ${count} times in ${attempts.window_hours} hours; the limit is ${attempts.most}`;
    return { code: 'too_many_attempts', detail };
  }
}

const NO_CONSENT: Reason = {
  code: 'no_consent',
  detail: 'no consent to be called is recorded for the number',
};

const answer = (reasons: readonly Reason[], consent: GateAnswer['consent']): GateAnswer => ({
  object: 'trace.gate',
  allowed: reasons.length === 0,
  reasons,
  consent,
});

function quiet(number: string, now: number, { quiet_hours: hours }: GateSettings): Reason | null {
  if (hours === null) return null;
  const zones = zonesOf(number);
  if (zones === null) return { code: 'unknown_time_zone', detail: 'the time zone of the number is unknown' };
  const zone = zones.find((one) => isQuiet(now, one, hours));
  if (zone === undefined) return null;
  const detail = `it is ${timeIn(now, zone)} in ${zone}; quiet from ${hours.from} to ${hours.to}`;
  return { code: 'quiet_hours', detail };
}
