/** Rows of the tables that the speak room owns. */
export type SpeakTables = Record<never, never>;
