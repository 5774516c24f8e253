import type { ProviderCallEvent } from './call-event-relay.ts';

const MAX_CALLS = 50;
const MAX_EVENTS = 10;
/** The bound covers the numbers of all tenants; the number whose last event is oldest is evicted. */
const MAX_NUMBERS = 10_000;

/**
 * Holds events of calls that this node does not know yet: the provider may send one before it has answered the
 * request. Each number has its own bound, so that one tenant's events do not evict another tenant's.
 */
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

  take(numberId: string, callId: string): readonly ProviderCallEvent[] {
    const calls = this.#numbers.get(numberId);
    const events = calls?.get(callId) ?? [];
    calls?.delete(callId);
    if (calls?.size === 0) this.#numbers.delete(numberId);
    return events;
  }
}

const dropOldest = (map: Map<string, unknown>): void => void map.delete(map.keys().next().value as string);
