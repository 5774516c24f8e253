import type { Environment, Meter } from '../../tenancy/index.ts';

export interface PriceRow {
  meter: Meter;
  /** The price applies from this UTC month (`2026-11`); the newest month that has begun wins. */
  from_month: string;
  unit: 'second' | 'call_minute' | 'call';
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
  /**
   * The roll-up added the event to this month; null until then. It is the event's own month, or a later one if that
   * was invoiced.
   */
  period: string | null;
}

export interface UsageHoldRow {
  id: string;
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
  project_id: string;
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
  /** The reference is unique in the organization, so that a repeated credit or invoice counts once. */
  reference: string;
  note: string | null;
  created_at: number;
}

export interface InvoiceRow {
  id: string;
  org_id: string;
  period: string;
  amount_micros: number;
  lines: string;
  issued_at: number;
}

export interface ProviderCostRow {
  resource: string;
  provider: string;
  kind: 'speech' | 'recognition' | 'brain';
  /** A customer pays the provider for use of its own key. */
  credential: 'operator' | 'customer';
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
