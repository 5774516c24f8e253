import type { Migration } from '../migrate.ts';

/** The audio is base64, because the two databases have no common type for bytes. */
export const speakPreviews: Migration = {
  number: 41,
  name: 'speak-previews',
  statements: (db) => [
    db.schema
      .createTable('speak_previews')
      .addColumn('candidate_id', 'text', (column) => column.primaryKey())
      .addColumn('org_id', 'text', (column) => column.notNull())
      .addColumn('audio', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull()),
    db.schema.createIndex('speak_previews_by_expiry').on('speak_previews').columns(['expires_at']),
  ],
};
