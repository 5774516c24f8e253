import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { sql, type Transaction } from 'kysely';
import type { Dialect, Tables } from '../../../foundation/storage/index.ts';
import { bm25 } from '../../../language/retrieval/index.ts';

export interface IndexedWords {
  readonly number: number;
  readonly base: string;
  readonly heading: readonly string[];
  readonly body: readonly string[];
}

/** Words of a heading weigh more, because they describe the text below it. */
const HEADING_WEIGHT = 2;
const CANDIDATES = 300;
/**
 * A search ranks at most this many chunks: with 80,000 in a base, 99 % of the first twenty are the same as if all
 * were ranked.
 */
const MOST_READ = 32_000;

export interface WordIndex {
  /** Runs in the transaction that stored the chunks. Deleting a chunk deletes its words. */
  add(transaction: Transaction<Tables>, words: readonly IndexedWords[]): Promise<void>;
  find(
    db: Kysely<Tables>,
    bases: readonly string[],
    terms: readonly string[],
    most: number,
  ): Promise<readonly number[]>;
}

export const wordIndex = (dialect: Dialect): WordIndex =>
  dialect === 'sqlite' ? sqliteWords : postgresWords;

/** SQLite's index stores each word with its base as prefix, so that a query reads only the lists of its own bases. */
const prefixOf = (base: string): string => `b${createHash('sha256').update(base).digest('hex').slice(0, 20)}`;

const sqliteWords: WordIndex = {
  async add(transaction, words) {
    for (const { number, base, heading, body } of words) {
      const prefix = prefixOf(base);
      const [title, text] = [heading, body].map((terms) => terms.map((term) => prefix + term).join(' '));
      await sql`insert into knowledge_words (rowid, heading, body)
        values (${number}, ${title}, ${text})`.execute(transaction);
    }
  },

  async find(db, bases, terms, most) {
    if (terms.length === 0 || bases.length === 0) return [];
    const distinctive = await distinctiveTerms(
      db,
      bases.map(prefixOf).flatMap((prefix) => terms.map((term) => prefix + term)),
    );
    if (distinctive.length === 0) return [];
    const match = distinctive.map((term) => `"${term}"`).join(' OR ');
    const { rows } = await sql<{ rowid: number }>`
      select rowid from knowledge_words where knowledge_words match ${match}
      order by bm25(knowledge_words, ${HEADING_WEIGHT}, 1.0) limit ${most}`.execute(db);
    return rows.map(({ rowid }) => rowid);
  },
};

/**
 * Selects the rarest terms until their chunks suffice: a word of every second chunk costs most and distinguishes
 * least.
 */
async function distinctiveTerms(db: Kysely<Tables>, terms: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ term: string; doc: number }>`
    select term, doc from knowledge_vocabulary where term in (${sql.join(terms)}) order by doc`.execute(db);
  let read = 0;
  const enough = rows.findIndex(({ doc }, at) => {
    read += doc;
    return at > 0 && read > MOST_READ;
  });
  return rows.slice(0, enough < 0 ? rows.length : enough).map(({ term }) => term);
}

/** PostgreSQL's rank ignores how rare a word is, so it only selects candidates, which BM25 then ranks. */
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

/** A word is repeated for each occurrence, and once more for each in a heading. */
const wordsOfVector = (vector: string): string[] =>
  [...vector.matchAll(/'([^']*)':(\S+)/g)].flatMap(([, word = '', places = '']) => {
    const positions = places.split(',');
    const inHeading = positions.filter((position) => position.endsWith('A')).length;
    return Array<string>(positions.length + inHeading).fill(word);
  });
