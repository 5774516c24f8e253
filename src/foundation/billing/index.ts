import type { Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import { type Repeating, repeat } from '../platform/repeat.ts';
import type { Storage } from '../storage/index.ts';
import type { Tables } from '../storage/tables/index.ts';
import type {
  Alongside,
  Billing,
  HoldOutcome,
  HoldRequest,
  Standing,
  StandingQuery,
  UsageEvent,
} from './contract.ts';
import { addCredit, type Credit, type CreditEntry } from './credits.ts';
import { EventCosts } from './event-costs.ts';
import { recordEvent } from './events.ts';
import { Holds } from './holds.ts';
import { type Invoice, Invoices } from './invoices.ts';
import { tellOfLowCredit } from './low-credit.ts';
import { Owed } from './owed.ts';
import { readPosition, standingOf } from './position.ts';
import { PriceBook } from './price-book.ts';
import { PriceList } from './price-list.ts';
import { type AfterBatch, rollUp } from './rollup.ts';
import { MoneyNews } from './told.ts';
import { readUsage, type UsageLine, type UsageQuery } from './usage.ts';

export type * from './contract.ts';
export { type Credit, type CreditEntry, parseAmount } from './credits.ts';
export { EventCosts } from './event-costs.ts';
export type { Invoice, InvoiceLine } from './invoices.ts';
export { isBilled, METERING, type MeteredUse, meteringOf, meterOf, USES } from './metering.ts';
export { dayOf, monthOf, untilTomorrow } from './periods.ts';
export type { NewPrice } from './price-book.ts';
export type { BillingNews, TellOfMoney } from './told.ts';
export type { UsageDimension, UsageLine, UsageQuery } from './usage.ts';
export { type AccountColumns, type Used, usageOf } from './usage-of.ts';

/** How long an event waits, at most, until it is in the sums. Credit and caps count waiting events too. */
const ROLL_UP_MS = 5_000;
const ISSUE_MS = 3_600_000;
/** How often what the database did not take is tried again. */
const PAY_EVERY_MS = 2_000;

export interface BillingOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  /** A roll-up or an invoice run that failed; it is tried again at the next turn. */
  readonly onError?: (error: unknown) => void;
}

/** The ledger: takes usage events, sums them, prices them. */
export class BillingRoom implements Billing {
  readonly priceBook: PriceBook;
  readonly news = new MoneyNews();
  readonly costs: EventCosts;
  readonly #options: BillingOptions;
  readonly #prices: PriceList;
  readonly #invoices: Invoices;
  readonly #holds: Holds;
  readonly #owed: Owed;
  #turns: Repeating[] = [];

  constructor(options: BillingOptions) {
    this.#options = options;
    this.priceBook = new PriceBook(options.storage, options.clock);
    this.#prices = new PriceList(options.storage.db, options.clock);
    this.costs = new EventCosts(options.storage.db, this.#prices);
    this.#invoices = new Invoices(options.storage, options.clock, this.#prices, this.news.tell);
    this.#owed = new Owed({
      storage: options.storage,
      record: (transaction, event) => this.record(transaction, event),
      onError: options.onError ?? (() => {}),
    });
    this.#holds = new Holds(options.storage, options.clock, this.#prices, this.#owed);
  }

  recordServed(event: UsageEvent, alongside: Alongside = async () => {}): Promise<void> {
    return this.#owed.settle(event, alongside);
  }

  /** Events that were served and could not be written yet. */
  get owed(): number {
    return this.#owed.size;
  }

  record(transaction: Transaction<Tables>, event: UsageEvent): Promise<void> {
    return recordEvent(transaction, event, this.#options.clock.now());
  }

  async standing(query: StandingQuery): Promise<Standing> {
    const { storage, clock } = this.#options;
    const pricesOf = await this.#prices.ofEveryMonth();
    return standingOf(
      await readPosition(storage.db, pricesOf, query, clock.now(), { owed: this.#owed.of(query) }),
    );
  }

  hold(request: HoldRequest): Promise<HoldOutcome> {
    return this.#holds.hold(request);
  }

  renewHolds(ids: readonly string[], leaseMs: number): Promise<void> {
    return this.#holds.renew(ids, leaseMs);
  }

  keepHold(transaction: Transaction<Tables>, id: string, leaseMs: number): Promise<void> {
    return this.#holds.keep(transaction, id, leaseMs);
  }

  release(holdId: string, transaction?: Transaction<Tables>): Promise<void> {
    return this.#holds.release(holdId, transaction);
  }

  addCredit(credit: Credit): Promise<CreditEntry> {
    return addCredit(this.#options.storage, this.#options.clock, credit);
  }

  async usage(query: UsageQuery): Promise<UsageLine[]> {
    await this.#rollUp(query.orgId);
    return await readUsage(this.#options.storage, query);
  }

  async invoices(orgId: string): Promise<Invoice[]> {
    await this.#rollUp(orgId);
    await this.#invoices.issueEnded(orgId);
    return await this.#invoices.list(orgId);
  }

  /** One turn of the background work, for all organizations. */
  async settle(): Promise<void> {
    await this.#rollUp();
    await this.#holds.sweep();
    await this.#invoices.issueEnded();
  }

  async #rollUp(orgId: string | null = null): Promise<void> {
    const { storage, clock } = this.#options;
    const pricesOf = await this.#prices.ofEveryMonth();
    const after: AfterBatch = (trx, orgs) =>
      tellOfLowCredit(trx, orgs, { pricesOf, now: clock.now(), tell: this.news.tell });
    await rollUp(storage, orgId, after);
  }

  start(): void {
    if (this.#turns.length > 0) return;
    const { clock, onError } = this.#options;
    let issuedAt = Number.NEGATIVE_INFINITY;
    const turn = async () => {
      await this.#rollUp();
      await this.#holds.sweep();
      if (clock.monotonic() - issuedAt < ISSUE_MS) return;
      await this.#invoices.issueEnded();
      issuedAt = clock.monotonic();
    };
    this.#turns = [
      repeat(clock, turn, { everyMs: ROLL_UP_MS, firstMs: 0, onError }),
      repeat(clock, () => this.#owed.pay(), { everyMs: PAY_EVERY_MS }),
    ];
  }

  /** Returns when the turn that runs has ended. */
  async stop(): Promise<void> {
    for (const turn of this.#turns.splice(0)) await turn.stop();
    await this.#owed.close();
  }
}

export const createBilling = (options: BillingOptions): BillingRoom => new BillingRoom(options);
