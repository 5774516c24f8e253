/** Rows of the tables that the billing room owns. */
export type BillingTables = Record<never, never>;
