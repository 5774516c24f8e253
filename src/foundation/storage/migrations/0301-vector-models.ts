import type { Migration } from '../migrate.ts';

/** Which model the vectors of a document's passages are of; null: they have none. Until now there was one, for English. */
export const vectorModels: Migration = {
  number: 301,
  name: 'vector-models',
  statements: (db) => [
    db.schema.alterTable('knowledge_documents').addColumn('vector_model', 'text'),
    db
      .updateTable('knowledge_documents')
      .set({ vector_model: 'minilm-l6' })
      .where('base_id', 'in', db.selectFrom('knowledge_bases').select('id').where('language', '=', 'en')),
  ],
};
