/** Rows of the tables that the jobs room owns. */
export type JobsTables = Record<never, never>;
