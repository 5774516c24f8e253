import type { Migration } from '../migrate.ts';

/** Which message an agent's own answers: each is answered once, and how often an agent answers is counted. */
export const messageAnswers: Migration = {
  number: 236,
  name: 'message-answers',
  statements: (db) => [
    db.schema.alterTable('messages').addColumn('answers_id', 'text'),
    db.schema.createIndex('messages_answered_once').unique().on('messages').columns(['answers_id']),
  ],
};
