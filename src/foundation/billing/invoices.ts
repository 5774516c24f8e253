import type { Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Storage } from '../storage/index.ts';
import type { UsageTotalRow } from '../storage/tables/billing.ts';
import type { Tables } from '../storage/tables/index.ts';
import type { Meter } from '../tenancy/index.ts';
import type { NotifyBilling } from './billing-notifier.ts';
import { monthOf } from './periods.ts';
import type { MonthPrices, PriceList } from './price-list.ts';
import { amountMicros, billedUnits, type Unit } from './prices.ts';
import { rollUpBatch, withRollupLock } from './rollup.ts';

/** The grace period lets a session past midnight, or a node that was down, still record its usage in the month. */
export const GRACE_MS = 48 * 3_600_000;

export interface InvoiceLine {
  readonly meter: Meter;
  readonly milliseconds: number;
  readonly unit: Unit;
  readonly units: number;
  readonly free_units: number;
  readonly unit_price_micros: number;
  readonly price_per_units: number;
  readonly amount_micros: number;
}

export interface Invoice {
  readonly id: string | null;
  readonly period: string;
  readonly status: 'open' | 'issued';
  readonly amountMicros: number;
  readonly lines: readonly InvoiceLine[];
  readonly issuedAt: number | null;
}

/** Amounts leave the server as JSON numbers: whole micro-units below 2^53, nine billion units of currency. */
const exactNumber = (value: bigint): number => {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} micro-units do not fit a number.`);
  return number;
};

export function invoiceLines(totals: readonly UsageTotalRow[], prices: MonthPrices): InvoiceLine[] {
  return totals
    .map((total) => {
      const price = prices(total.meter);
      const units = billedUnits(price.unit, {
        milliseconds: BigInt(total.milliseconds),
        callMinutes: BigInt(total.call_minutes),
        calls: BigInt(total.calls),
      });
      const chargeable = units > price.freeUnits ? units - price.freeUnits : 0n;
      return {
        meter: total.meter,
        milliseconds: total.milliseconds,
        unit: price.unit,
        units: exactNumber(units),
        free_units: exactNumber(units - chargeable),
        unit_price_micros: exactNumber(price.micros),
        price_per_units: exactNumber(price.per),
        amount_micros: exactNumber(amountMicros(price, units)),
      };
    })
    .sort((one, other) => one.meter.localeCompare(other.meter));
}

const sumOf = (lines: readonly InvoiceLine[]): number =>
  exactNumber(lines.reduce((sum, line) => sum + BigInt(line.amount_micros), 0n));

export class Invoices {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #prices: PriceList;
  readonly #notify: NotifyBilling;

  constructor(storage: Storage, clock: Clock, prices: PriceList, notify: NotifyBilling) {
    this.#storage = storage;
    this.#clock = clock;
    this.#prices = prices;
    this.#notify = notify;
  }

  async issueEnded(orgId: string | null = null): Promise<number> {
    const first = this.#firstOpenMonth();
    let query = this.#storage.db
      .selectFrom('usage_totals as t')
      .innerJoin('organizations as o', 'o.id', 't.subject')
      .select(['t.subject', 't.period'])
      .distinct()
      .where('t.environment', '=', 'live')
      .where('t.period', '<', first)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('invoices as i')
              .select('i.id')
              .whereRef('i.org_id', '=', 't.subject')
              .whereRef('i.period', '=', 't.period'),
          ),
        ),
      );
    if (orgId !== null) query = query.where('t.subject', '=', orgId);
    const due = await query.execute();
    for (const { subject, period } of due) await this.#issue(subject, period);
    return due.length;
  }

  async list(orgId: string): Promise<Invoice[]> {
    const open = await this.#storage.db
      .selectFrom('usage_totals')
      .selectAll()
      .where('subject', '=', orgId)
      .where('environment', '=', 'live')
      .execute();
    const rows = await this.#storage.db
      .selectFrom('invoices')
      .selectAll()
      .where('org_id', '=', orgId)
      .orderBy('period', 'desc')
      .execute();
    const issued = new Set(rows.map((row) => row.period));
    const months = new Set(open.map((total) => total.period).filter((period) => !issued.has(period)));
    months.add(monthOf(this.#clock.now()));
    const drafts: Invoice[] = [];
    for (const period of months) {
      const lines = invoiceLines(
        open.filter((total) => total.period === period),
        await this.#prices.of(period),
      );
      drafts.push({
        id: null,
        period,
        status: 'open',
        amountMicros: sumOf(lines),
        lines,
        issuedAt: null,
      });
    }
    const invoices: Invoice[] = rows.map((row) => ({
      id: row.id,
      period: row.period,
      status: 'issued',
      amountMicros: row.amount_micros,
      lines: JSON.parse(row.lines) as InvoiceLine[],
      issuedAt: row.issued_at,
    }));
    return [...drafts, ...invoices].sort((one, other) => other.period.localeCompare(one.period));
  }

  #firstOpenMonth(): string {
    return monthOf(this.#clock.now() - GRACE_MS);
  }

  async #issue(orgId: string, period: string): Promise<void> {
    const prices = await this.#prices.of(period);
    await withRollupLock(this.#storage, async (transaction) => {
      // Waiting events of the month must be added before the invoice is issued; later they could only enter a later
      // one.
      while ((await rollUpBatch(transaction, orgId)) > 0);
      if (await alreadyIssued(transaction, orgId, period)) return;
      const totals = await transaction
        .selectFrom('usage_totals')
        .selectAll()
        .where('subject', '=', orgId)
        .where('period', '=', period)
        .where('environment', '=', 'live')
        .execute();
      const lines = invoiceLines(totals, prices);
      await this.#write(transaction, orgId, period, lines);
    });
  }

  async #write(
    transaction: Transaction<Tables>,
    orgId: string,
    period: string,
    lines: readonly InvoiceLine[],
  ): Promise<void> {
    const amount = sumOf(lines);
    const now = this.#clock.now();
    const id = newId('inv');
    await transaction
      .insertInto('invoices')
      .values({
        id,
        org_id: orgId,
        period,
        amount_micros: amount,
        lines: JSON.stringify(lines),
        issued_at: now,
      })
      .execute();
    await transaction
      .insertInto('ledger_entries')
      .values({
        id: newId('led'),
        org_id: orgId,
        kind: 'invoice',
        amount_micros: -amount,
        reference: `invoice ${period}`,
        note: id,
        created_at: now,
      })
      .execute();
    await this.#notify(transaction, {
      type: 'billing.invoice.issued',
      data: { id, org_id: orgId, period, amount_micros: amount, issued_at: now },
    });
  }
}

async function alreadyIssued(transaction: Transaction<Tables>, orgId: string, period: string) {
  const found = await transaction
    .selectFrom('invoices')
    .select('id')
    .where('org_id', '=', orgId)
    .where('period', '=', period)
    .executeTakeFirst();
  return found !== undefined;
}
