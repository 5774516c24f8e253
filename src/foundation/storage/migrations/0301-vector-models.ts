import type { Migration } from '../migrate.ts';

/**
 * The column names the embedding model of a document; null means no vectors. Earlier vectors are all of the English
 * model.
 */
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
