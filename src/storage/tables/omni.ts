/** Rows of the tables that the omni room owns. */
export type OmniTables = Record<never, never>;
