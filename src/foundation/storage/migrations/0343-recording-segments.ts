import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** A call that goes on at another node has a segment of its recording on each. */
export const recordingSegments: Migration = {
  number: 343,
  name: 'recording-segments',
  statements: (db) => [
    db.schema
      .alterTable('call_recordings')
      .addColumn('is_paused', 'integer', (column) => column.notNull().defaultTo(0)),
    db.schema
      .createTable('call_recording_segments')
      .addColumn('recording_id', 'text', (column) => column.notNull())
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('node_id', 'text', (column) => column.notNull())
      .addColumn('starts_at_ms', 'bigint')
      .addColumn('is_stored', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('call_recording_segments_key', ['recording_id', 'number']),
    db.schema
      .createIndex('call_recordings_pending')
      .on('call_recordings')
      .columns(['updated_at'])
      .where(sql.ref('status'), 'in', [sql.lit('waiting'), sql.lit('recording')]),
  ],
};
