/** Rows of the tables that the hear room owns. */
export type HearTables = Record<never, never>;
