import { type Migration, raw } from '../migrate.ts';

/** A trigger removes a chunk's words with the chunk. */
export const knowledgeWords: Migration = {
  number: 111,
  name: 'knowledge-words',
  statements: (db, dialect) =>
    dialect === 'postgres'
      ? []
      : [
          raw(
            db,
            `create trigger knowledge_chunks_words after delete on knowledge_chunks
             begin delete from knowledge_words where rowid = old.number; end`,
          ),
          raw(db, 'delete from knowledge_words where rowid not in (select number from knowledge_chunks)'),
        ],
};
