import type { Transaction } from 'kysely';
import { storageFaultOf, storageRefusal } from '../platform/storage-fault.ts';
import type { Storage } from '../storage/index.ts';
import type { Tables } from '../storage/tables/index.ts';
import type { Billing, CreditStatusQuery, UsageEvent } from './contract.ts';

type Write = (transaction: Transaction<Tables>) => Promise<void>;

interface UnrecordedEntry {
  readonly event: UsageEvent;
  readonly alongside: Write;
  readonly refused: unknown;
}

const MAX_UNRECORDED = 10_000;

export interface UnrecordedUsageOptions {
  readonly storage: Storage;
  readonly record: Billing['recordUsage'];
  readonly onError: (error: unknown) => void;
}

/**
 * Holds usage that was served but that the database did not accept (full disk, lock). It counts against caps and
 * credit until it is written.
 */
export class UnrecordedUsage {
  readonly #options: UnrecordedUsageOptions;
  readonly #bills = new Map<string, UnrecordedEntry>();

  constructor(options: UnrecordedUsageOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#bills.size;
  }

  async record(event: UsageEvent, alongside: Write): Promise<void> {
    try {
      await this.#write(event, alongside);
    } catch (refused) {
      if (storageFaultOf(refused) === null) throw refused;
      this.#bills.set(event.id, { event, alongside, refused });
      this.#options.onError(refused);
    }
  }

  async retry(): Promise<void> {
    for (const [id, { event, alongside }] of [...this.#bills]) {
      await this.#write(event, alongside);
      this.#bills.delete(id);
    }
  }

  /** At shutdown, unwritten events are logged in full, so that the operator can enter them by hand. */
  async close(): Promise<void> {
    await this.retry().catch(this.#options.onError);
    for (const { event, refused } of this.#bills.values()) {
      const message = `A usage event could not be written and will be lost when the process ends: ${JSON.stringify(event)}`;
      this.#options.onError(new Error(message, { cause: refused }));
    }
  }

  requireCapacity(): void {
    if (this.#bills.size < MAX_UNRECORDED) return;
    const [first] = this.#bills.values();
    throw storageRefusal(first?.refused) ?? first?.refused;
  }

  of({ orgId, environment }: Pick<CreditStatusQuery, 'orgId' | 'environment'>): UsageEvent[] {
    const events = [...this.#bills.values()].map(({ event }) => event);
    return events.filter((event) => event.orgId === orgId && event.environment === environment);
  }

  async #write(event: UsageEvent, alongside: Write): Promise<void> {
    const { storage, record } = this.#options;
    await storage.transaction(async (transaction) => {
      await alongside(transaction);
      await record(transaction, event);
    });
  }
}
