import type { Transaction } from 'kysely';
import type { Tables } from '../storage/tables/index.ts';

export type BillingNotification =
  | {
      readonly type: 'billing.credit.low';
      readonly data: {
        readonly org_id: string;
        readonly balance_micros: number;
        readonly threshold_micros: number;
      };
    }
  | {
      readonly type: 'billing.invoice.issued';
      readonly data: {
        readonly id: string;
        readonly org_id: string;
        readonly period: string;
        readonly amount_micros: number;
        readonly issued_at: number;
      };
    };

export type NotifyBilling = (transaction: Transaction<Tables>, news: BillingNotification) => Promise<void>;

/** Modules that notify customers start after billing and register here. */
export class BillingNotifier {
  #notify: NotifyBilling = async () => {};

  setHandler(notify: NotifyBilling): void {
    this.#notify = notify;
  }

  readonly notify: NotifyBilling = (transaction, news) => this.#notify(transaction, news);
}
