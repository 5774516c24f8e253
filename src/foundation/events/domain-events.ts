import type { Transaction } from 'kysely';
import type { Tables } from '../storage/index.ts';

type Trx = Transaction<Tables>;

/** A kind of fact that a module publishes. The module that owns the fact exports it. */
export class DomainEvent<Payload> {
  declare readonly payload: Payload;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Runs in the transaction that makes the fact true; what it throws undoes both. */
export type DomainSubscriber<Payload> = (trx: Trx, payload: Payload) => Promise<void>;

/**
 * Facts and who acts on them. A fact is published in the transaction that makes it true, and its subscribers run in
 * that transaction, in the order in which they subscribed: they write, or enqueue a job for what takes longer. No
 * module is handed a function of another.
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
