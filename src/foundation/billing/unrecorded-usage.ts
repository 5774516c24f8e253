import type { Transaction } from 'kysely';
import { storageFaultOf, storageRefusal } from '../platform/storage-fault.ts';
import type { Storage } from '../storage/index.ts';
import type { Tables } from '../storage/tables/index.ts';
import type { Billing, CreditStatusQuery, UsageEvent } from './contract.ts';

type Write = (transaction: Transaction<Tables>) => Promise<void>;

interface UnrecordedEntry {
  readonly event: UsageEvent;
  /** The same transaction writes this with the event. */
  readonly alongside: Write;
  /** Why the database did not take it. */
  readonly refused: unknown;
}

/** Beyond so many, nothing new is begun that would have to be billed. */
const MAX_UNRECORDED = 10_000;

export interface UnrecordedUsageOptions {
  readonly storage: Storage;
  readonly record: Billing['recordUsage'];
  readonly onError: (error: unknown) => void;
}

/** Usage that was served and that the database did not take: a full disk, a lock. It is kept here, counts against caps
 * and credit, and is written when the database takes it. */
export class UnrecordedUsage {
  readonly #options: UnrecordedUsageOptions;
  readonly #bills = new Map<string, UnrecordedEntry>();

  constructor(options: UnrecordedUsageOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#bills.size;
  }

  /** Writes the event now, or keeps it. Rejects for what no later try can mend. */
  async record(event: UsageEvent, alongside: Write): Promise<void> {
    try {
      await this.#write(event, alongside);
    } catch (refused) {
      if (storageFaultOf(refused) === null) throw refused;
      this.#bills.set(event.id, { event, alongside, refused });
      this.#options.onError(refused);
    }
  }

  /** Tries what is owed, oldest first, until the database refuses again. */
  async retry(): Promise<void> {
    for (const [id, { event, alongside }] of [...this.#bills]) {
      await this.#write(event, alongside);
      this.#bills.delete(id);
    }
  }

  /** The process ends: what even now cannot be written is told in full, so that it can be entered by hand. */
  async close(): Promise<void> {
    await this.retry().catch(this.#options.onError);
    for (const { event, refused } of this.#bills.values()) {
      const message = `This usage could not be written, and is lost with the process: ${JSON.stringify(event)}`;
      this.#options.onError(new Error(message, { cause: refused }));
    }
  }

  /** Throws where too much is owed already to begin anything new. */
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
