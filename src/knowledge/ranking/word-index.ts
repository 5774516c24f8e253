import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { sql, type Transaction } from 'kysely';
import { bm25 } from '../../retrieval/index.ts';
import type { Dialect, Tables } from '../../storage/index.ts';

/** A chunk's terms as they are indexed. */
export interface IndexedWords {
  readonly number: number;
  readonly base: string;
  readonly heading: readonly string[];
  readonly body: readonly string[];
}

/** Words of a heading say more of what stands under it. */
const HEADING_WEIGHT = 2;
const CANDIDATES = 300;

/** The door to the database's own index of words. Callers have looked up the bases inside their borders. */
export interface WordIndex {
  /** In the transaction that stored the chunks. The words go with their chunk. */
  add(transaction: Transaction<Tables>, words: readonly IndexedWords[]): Promise<void>;
  /** Chunks that hold any of the terms, best first. */
  find(
    db: Kysely<Tables>,
    bases: readonly string[],
    terms: readonly string[],
    most: number,
  ): Promise<readonly number[]>;
}

export const wordIndex = (dialect: Dialect): WordIndex =>
  dialect === 'sqlite' ? sqliteWords : postgresWords;

const tokenOf = (base: string): string => `b${createHash('sha256').update(base).digest('hex').slice(0, 20)}`;

const sqliteWords: WordIndex = {
  async add(transaction, words) {
    for (const { number, base, heading, body } of words) {
      await sql`insert into knowledge_words (rowid, base, heading, body)
        values (${number}, ${tokenOf(base)}, ${heading.join(' ')}, ${body.join(' ')})`.execute(transaction);
    }
  },

  async find(db, bases, terms, most) {
    if (terms.length === 0 || bases.length === 0) return [];
    const places = bases.map((base) => `base : ${tokenOf(base)}`).join(' OR ');
    const match = `(${places}) AND {heading body} : (${terms.map((term) => `"${term}"`).join(' OR ')})`;
    const { rows } = await sql<{ rowid: number }>`
      select rowid from knowledge_words where knowledge_words match ${match}
      order by bm25(knowledge_words, 0.0, ${HEADING_WEIGHT}, 1.0) limit ${most}`.execute(db);
    return rows.map(({ rowid }) => rowid);
  },
};

/** PostgreSQL's rank knows nothing of how rare a word is: it chooses candidates, which are ranked by BM25 among themselves. */
const postgresWords: WordIndex = {
  async add(transaction, words) {
    for (const { number, heading, body } of words) {
      await sql`update knowledge_chunks set terms =
        setweight(to_tsvector('simple', ${heading.join(' ')}), 'A') || to_tsvector('simple', ${body.join(' ')})
        where number = ${number}`.execute(transaction);
    }
  },

  async find(db, bases, terms, most) {
    if (terms.length === 0 || bases.length === 0) return [];
    const query = terms.map((term) => `'${term}'`).join(' | ');
    const { rows } = await sql<{ number: number; terms: string }>`
      select number, terms::text as terms from knowledge_chunks
      where base_id in (${sql.join(bases.map((base) => sql`${base}`))}) and terms @@ ${query}::tsquery
      order by ts_rank(terms, ${query}::tsquery, 1) desc limit ${CANDIDATES}`.execute(db);
    const documents = rows.map((row) => wordsOfVector(row.terms));
    const scores = bm25(terms, documents);
    return rows
      .map((row, at) => ({ number: Number(row.number), score: scores[at] ?? 0 }))
      .sort((a, b) => b.score - a.score)
      .slice(0, most)
      .map(({ number }) => number);
  },
};

/** A word as often as it stands there, once more for each place in a heading. */
const wordsOfVector = (vector: string): string[] =>
  [...vector.matchAll(/'([^']*)':(\S+)/g)].flatMap(([, word = '', places = '']) => {
    const positions = places.split(',');
    const inHeading = positions.filter((position) => position.endsWith('A')).length;
    return Array<string>(positions.length + inHeading).fill(word);
  });
