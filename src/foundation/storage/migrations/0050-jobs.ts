import type { Migration } from '../migrate.ts';

export const jobs: Migration = {
  number: 50,
  name: 'jobs',
  statements: (db) => [
    db.schema
      .createTable('jobs')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('queue', 'text', (column) => column.notNull())
      .addColumn('tenant', 'text', (column) => column.notNull())
      .addColumn('priority', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('max_attempts', 'integer', (column) => column.notNull())
      .addColumn('run_at', 'bigint', (column) => column.notNull())
      .addColumn('fence', 'bigint', (column) => column.notNull())
      .addColumn('worker', 'text')
      .addColumn('lease_until', 'bigint')
      .addColumn('cancel_requested', 'integer', (column) => column.notNull())
      .addColumn('progress', 'integer', (column) => column.notNull())
      .addColumn('last_error', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    // The index finds the waiting tenants and each one's next job without a scan of the queue.
    db.schema
      .createIndex('jobs_by_turn')
      .on('jobs')
      .columns(['queue', 'state', 'priority', 'tenant', 'run_at', 'id']),
    db.schema.createIndex('jobs_by_time').on('jobs').columns(['queue', 'state', 'run_at']),
    db.schema.createIndex('jobs_by_lease').on('jobs').columns(['queue', 'lease_until']),
    db.schema
      .createTable('job_turns')
      .addColumn('queue', 'text', (column) => column.notNull())
      .addColumn('tenant', 'text', (column) => column.notNull())
      .addColumn('turn', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('job_turns_key', ['queue', 'tenant']),
    db.schema.createIndex('job_turns_by_turn').on('job_turns').columns(['queue', 'turn']),
  ],
};
