import type { Migration } from '../migrate.ts';

export const messageAnswers: Migration = {
  number: 236,
  name: 'message-answers',
  statements: (db) => [
    db.schema.alterTable('messages').addColumn('answers_id', 'text'),
    db.schema.createIndex('messages_answered_once').unique().on('messages').columns(['answers_id']),
  ],
};
