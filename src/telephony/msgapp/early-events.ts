import type { ProviderCallEvent } from './call-event-relay.ts';

/** Calls of one number, and events of one call. */
const MAX_CALLS = 50;
const MAX_EVENTS = 10;
/** Numbers of all tenants; the number that was told of longest ago goes first. */
const MAX_NUMBERS = 10_000;

/** Events of calls that are not known yet, because the provider may tell before it has answered. Each number has a bound of its own,
 * so that one tenant's events evict nobody else's. */
export class EarlyEvents {
  readonly #numbers = new Map<string, Map<string, readonly ProviderCallEvent[]>>();

  add(numberId: string, event: ProviderCallEvent): void {
    const calls = this.#numbers.get(numberId) ?? new Map<string, readonly ProviderCallEvent[]>();
    this.#numbers.delete(numberId);
    if (this.#numbers.size >= MAX_NUMBERS) dropOldest(this.#numbers);
    this.#numbers.set(numberId, calls);
    const events = calls.get(event.callId) ?? [];
    if (events.length === 0 && calls.size >= MAX_CALLS) dropOldest(calls);
    calls.set(event.callId, [...events, event].slice(-MAX_EVENTS));
  }

  /** The events of a call that is known now, in their order; they are no longer kept. */
  take(numberId: string, callId: string): readonly ProviderCallEvent[] {
    const calls = this.#numbers.get(numberId);
    const events = calls?.get(callId) ?? [];
    calls?.delete(callId);
    if (calls?.size === 0) this.#numbers.delete(numberId);
    return events;
  }
}

const dropOldest = (map: Map<string, unknown>): void => void map.delete(map.keys().next().value as string);
