import { type Migration, raw } from '../migrate.ts';

/** New chunks of a document are written in steps beside the ones that searches still find. */
export const knowledgeGenerations: Migration = {
  number: 260,
  name: 'knowledge-generations',
  statements: (db) => [
    db.schema
      .alterTable('knowledge_chunks')
      .addColumn('generation', 'bigint', (column) => column.notNull().defaultTo(0)),
    raw(
      db,
      `update knowledge_chunks set generation =
        coalesce((select generation from knowledge_documents where id = knowledge_chunks.document_id), 0)`,
    ),
  ],
};
