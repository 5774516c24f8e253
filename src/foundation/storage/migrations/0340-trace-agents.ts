import type { Migration } from '../migrate.ts';

/** A call that several agents had is found by each of them. */
export const traceAgents: Migration = {
  number: 340,
  name: 'trace-agents',
  statements: (db) => [db.schema.alterTable('trace_interactions').addColumn('later_agents', 'text')],
};
