import { type Migration, raw } from '../migrate.ts';

/**
 * The prefix separates the words of knowledge bases, so that one base does not lengthen the posting lists of another.
 */
const ofBase = (column: string) =>
  `case ${column} when '' then '' else base || replace(${column}, ' ', ' ' || base) end`;

export const knowledgeSounds: Migration = {
  number: 231,
  name: 'knowledge-sounds',
  statements: (db, dialect) => [
    db.schema
      .alterTable('knowledge_terms')
      .addColumn('uses', 'integer', (column) => column.notNull().defaultTo(0)),
    ...(dialect === 'postgres'
      ? []
      : [
          `create table knowledge_words_before as select rowid as number, base, heading, body from knowledge_words`,
          'drop table knowledge_words',
          `create virtual table knowledge_words using fts5(heading, body, tokenize = 'ascii', detail = full)`,
          `insert into knowledge_words (knowledge_words, rank) values ('secure-delete', 1)`,
          `insert into knowledge_words (rowid, heading, body)
            select number, ${ofBase('heading')}, ${ofBase('body')} from knowledge_words_before`,
          'drop table knowledge_words_before',
          'create virtual table knowledge_vocabulary using fts5vocab(knowledge_words, row)',
        ].map((statement) => raw(db, statement))),
  ],
};
