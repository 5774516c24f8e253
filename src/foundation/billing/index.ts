import type { Transaction } from 'kysely';
import type { BackgroundTasks, RepeatingTask } from '../platform/background-tasks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../storage/index.ts';
import type { Tables } from '../storage/tables/index.ts';
import { BillingNotifier } from './billing-notifier.ts';
import type {
  Billing,
  CreditReservationOutcome,
  CreditStatus,
  CreditStatusQuery,
  ReservationRequest,
  UsageEvent,
  UsageSideWrite,
} from './contract.ts';
import { creditStatusOf, readCreditPosition } from './credit-position.ts';
import { CreditReservations } from './credit-reservations.ts';
import { addCredit, type CreditEntry, type CreditGrant } from './credits.ts';
import { UsageEventCosts } from './event-costs.ts';
import { type Invoice, Invoices } from './invoices.ts';
import { notifyLowCredit } from './low-credit.ts';
import { PriceBook } from './price-book.ts';
import { PriceList } from './price-list.ts';
import { type ProviderCostTotal, providerCostsOf } from './provider-costs.ts';
import { insertUsageEvent } from './record-usage.ts';
import { type AfterBatch, rollUp } from './rollup.ts';
import { UnrecordedUsage } from './unrecorded-usage.ts';
import { readUsage, type UsageLine, type UsageQuery } from './usage.ts';

export type { BillingNotification, NotifyBilling } from './billing-notifier.ts';
export type * from './contract.ts';
export { type CreditEntry, type CreditGrant, parseAmount } from './credits.ts';
export { UsageEventCosts } from './event-costs.ts';
export type { Invoice, InvoiceLine } from './invoices.ts';
export { isBilled, METERING, type MeteredUse, meteringOf, meterOf, USES } from './metering.ts';
export { dayOf, monthOf, untilTomorrow } from './periods.ts';
export type { NewPrice } from './price-book.ts';
export {
  forgetProviderCosts,
  insertProviderCosts,
  type ProviderCost,
  type ProviderCostTotal,
} from './provider-costs.ts';
export type { UsageDimension, UsageLine, UsageQuery } from './usage.ts';
export { type BillingAccountColumns, type UsageInput, usageEventOf } from './usage-event.ts';

/** An event enters the sums after this time at most. Credit and caps count waiting events too. */
const ROLL_UP_MS = 5_000;
const ISSUE_MS = 3_600_000;
const RETRY_UNRECORDED_EVERY_MS = 2_000;

export interface BillingOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly onError?: (error: unknown) => void;
}

export class BillingService implements Billing {
  readonly priceBook: PriceBook;
  readonly notifier = new BillingNotifier();
  readonly costs: UsageEventCosts;
  readonly #options: BillingOptions;
  readonly #prices: PriceList;
  readonly #invoices: Invoices;
  readonly #reservations: CreditReservations;
  readonly #unrecorded: UnrecordedUsage;
  #turns: RepeatingTask[] = [];

  constructor(options: BillingOptions) {
    this.#options = options;
    this.priceBook = new PriceBook(options.storage, options.clock);
    this.#prices = new PriceList(options.storage.db, options.clock);
    this.costs = new UsageEventCosts(options.storage.db, this.#prices);
    this.#invoices = new Invoices(options.storage, options.clock, this.#prices, this.notifier.notify);
    this.#unrecorded = new UnrecordedUsage({
      storage: options.storage,
      record: (transaction, event) => this.recordUsage(transaction, event),
      onError: options.onError ?? (() => {}),
    });
    this.#reservations = new CreditReservations(
      options.storage,
      options.clock,
      this.#prices,
      this.#unrecorded,
    );
  }

  recordServedUsage(event: UsageEvent, alongside: UsageSideWrite = async () => {}): Promise<void> {
    return this.#unrecorded.record(event, alongside);
  }

  get unrecordedUsage(): number {
    return this.#unrecorded.size;
  }

  recordUsage(transaction: Transaction<Tables>, event: UsageEvent): Promise<void> {
    return insertUsageEvent(transaction, event, this.#options.clock.now());
  }

  async creditStatus(query: CreditStatusQuery): Promise<CreditStatus> {
    const { storage, clock } = this.#options;
    const pricesOf = await this.#prices.ofEveryMonth();
    return creditStatusOf(
      await readCreditPosition(storage.db, pricesOf, query, clock.now(), {
        unrecorded: this.#unrecorded.of(query),
      }),
    );
  }

  reserve(request: ReservationRequest): Promise<CreditReservationOutcome> {
    return this.#reservations.reserve(request);
  }

  renewReservations(ids: readonly string[], leaseMs: number): Promise<void> {
    return this.#reservations.renew(ids, leaseMs);
  }

  extendReservation(transaction: Transaction<Tables>, id: string, leaseMs: number): Promise<void> {
    return this.#reservations.extend(transaction, id, leaseMs);
  }

  releaseReservation(reservationId: string, transaction?: Transaction<Tables>): Promise<void> {
    return this.#reservations.release(reservationId, transaction);
  }

  addCredit(credit: CreditGrant): Promise<CreditEntry> {
    return addCredit(this.#options.storage, this.#options.clock, credit);
  }

  async usage(query: UsageQuery): Promise<UsageLine[]> {
    await this.#rollUp(query.orgId);
    return await readUsage(this.#options.storage, query);
  }

  providerCosts(month: string): Promise<ProviderCostTotal[]> {
    return providerCostsOf(this.#options.storage, month);
  }

  async invoices(orgId: string): Promise<Invoice[]> {
    await this.#rollUp(orgId);
    await this.#invoices.issueEnded(orgId);
    return await this.#invoices.list(orgId);
  }

  async flush(): Promise<void> {
    await this.#rollUp();
    await this.#reservations.sweep();
    await this.#invoices.issueEnded();
  }

  async #rollUp(orgId: string | null = null): Promise<void> {
    const { storage, clock } = this.#options;
    const pricesOf = await this.#prices.ofEveryMonth();
    const after: AfterBatch = (trx, orgs) =>
      notifyLowCredit(trx, orgs, { pricesOf, now: clock.now(), notify: this.notifier.notify });
    await rollUp(storage, orgId, after);
  }

  start(): void {
    if (this.#turns.length > 0) return;
    const { clock, background } = this.#options;
    let issuedAt = Number.NEGATIVE_INFINITY;
    const turn = async () => {
      await this.#rollUp();
      await this.#reservations.sweep();
      if (clock.monotonic() - issuedAt < ISSUE_MS) return;
      await this.#invoices.issueEnded();
      issuedAt = clock.monotonic();
    };
    this.#turns = [
      background.repeat('usage and invoices', turn, { everyMs: ROLL_UP_MS, firstMs: 0 }),
      background.repeat('unrecorded usage', () => this.#unrecorded.retry(), {
        everyMs: RETRY_UNRECORDED_EVERY_MS,
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const turn of this.#turns.splice(0)) await turn.stop();
    await this.#unrecorded.close();
  }
}

export const createBilling = (options: BillingOptions): BillingService => new BillingService(options);
