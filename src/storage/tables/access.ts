/** Rows of the tables that the access room owns. */
export type AccessTables = Record<never, never>;
