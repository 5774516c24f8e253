import type { Environment, Meter } from '../../tenancy/index.ts';

/** Rows of the tables that the billing module owns. */

export interface PriceRow {
  meter: Meter;
  /** The first UTC month that it holds for, `2026-11`; the newest that has begun counts. */
  from_month: string;
  unit: 'second' | 'call_minute' | 'call';
  /** Micro-units of money for every `per` units. */
  micros: number;
  per: number;
  free_units: number;
}

export interface UsageEventRow {
  id: string;
  meter: Meter;
  org_id: string;
  project_id: string;
  key_id: string | null;
  environment: Environment;
  milliseconds: number;
  count: number;
  bundled: number;
  resource: string;
  occurred_at: number;
  recorded_at: number;
  /** The month whose total it was added to; null until then. Its own month, or a later one if that was invoiced. */
  period: string | null;
}

/** A reservation counts until it is released or its lease has passed. */
export interface UsageHoldRow {
  id: string;
  /** The row of the metering table. */
  use: string;
  meter: Meter;
  org_id: string;
  project_id: string;
  key_id: string | null;
  environment: Environment;
  milliseconds: number;
  count: number;
  resource: string;
  created_at: number;
  expires_at: number;
}

/** Sums of the events that have a period. `subject` is an organization's or a key's id. */
export interface UsageTotalRow {
  subject: string;
  period: string;
  meter: Meter;
  environment: Environment;
  milliseconds: number;
  call_minutes: number;
  calls: number;
}

export interface UsageDayRow {
  org_id: string;
  day: string;
  /** It is empty for use of before that no key tells the project of. */
  project_id: string;
  /** It is empty where no key was charged. */
  key_id: string;
  meter: Meter;
  environment: Environment;
  milliseconds: number;
  call_minutes: number;
  calls: number;
}

export interface LedgerEntryRow {
  id: string;
  org_id: string;
  kind: 'credit' | 'invoice';
  /** Credits are positive, invoices negative. */
  amount_micros: number;
  /** Unique in the organization: the same credit sent twice, the same invoice written twice, counts once. */
  reference: string;
  note: string | null;
  created_at: number;
}

export interface InvoiceRow {
  id: string;
  org_id: string;
  period: string;
  amount_micros: number;
  /** JSON array of lines. */
  lines: string;
  issued_at: number;
}

/** The use of a speech service elsewhere by one call. */
export interface ProviderCostRow {
  resource: string;
  /** The name of the operator's list. */
  provider: string;
  kind: 'speech';
  region: string | null;
  host: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  requests: number;
  characters: number;
  sound_ms: number;
  failures: number;
  cost_micros: number;
  occurred_at: number;
}

export interface BillingTables {
  prices: PriceRow;
  usage_events: UsageEventRow;
  usage_holds: UsageHoldRow;
  usage_totals: UsageTotalRow;
  usage_days: UsageDayRow;
  ledger_entries: LedgerEntryRow;
  invoices: InvoiceRow;
  provider_costs: ProviderCostRow;
}
