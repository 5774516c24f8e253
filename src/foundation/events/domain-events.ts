import type { Transaction } from 'kysely';
import type { Tables } from '../storage/index.ts';

type Trx = Transaction<Tables>;

export class DomainEvent<Payload> {
  declare readonly payload: Payload;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** It runs in the transaction that publishes the event; an error rolls both back. */
export type DomainSubscriber<Payload> = (trx: Trx, payload: Payload) => Promise<void>;

/**
 * Publishes domain events. Subscribers run in the publisher's transaction, in the order in which they subscribed:
 * they write, or enqueue a job for longer work. Modules pass each other no functions.
 */
export class DomainEvents {
  readonly #subscribers = new Map<DomainEvent<unknown>, DomainSubscriber<never>[]>();

  subscribe<Payload>(event: DomainEvent<Payload>, subscriber: DomainSubscriber<Payload>): void {
    const known = this.#subscribers.get(event);
    if (known === undefined) this.#subscribers.set(event, [subscriber]);
    else known.push(subscriber);
  }

  async publish<Payload>(trx: Trx, event: DomainEvent<Payload>, payload: Payload): Promise<void> {
    const subscribers = this.#subscribers.get(event) ?? [];
    for (const subscriber of subscribers as DomainSubscriber<Payload>[]) await subscriber(trx, payload);
  }
}
