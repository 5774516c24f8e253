import type { Kysely } from 'kysely';
import type { TenantScope } from '../../../foundation/access/contract.ts';
import { type Tables, withinTenant } from '../../../foundation/storage/index.ts';
import { findPhonetic, mayContain, type PhoneticWord } from '../../../language/text/index.ts';

export interface CachedTerm {
  readonly term: string;
  readonly sound: string;
}

export interface MisheardTerm {
  readonly term: string;
  readonly start: number;
  readonly end: number;
  readonly similarity: number;
}

/** The limit covers the most frequent terms of one base, because every question is compared with each of them. */
const MOST_TERMS = 5_000;
const MOST_BASES = 64;
const FEWEST_SOUNDS = 6;
/** One sound in this many may differ. */
const SOUNDS_AN_EDIT = 4;

interface CachedTerms {
  readonly revision: number;
  readonly terms: Promise<readonly CachedTerm[]>;
}

/** A change of the base invalidates its cached terms. */
export class TermCache {
  readonly #bases = new Map<string, CachedTerms>();

  async termsOf(
    db: Kysely<Tables>,
    scope: TenantScope,
    base: { readonly id: string; readonly revision: number },
  ): Promise<readonly CachedTerm[]> {
    const known = this.#bases.get(base.id);
    this.#bases.delete(base.id);
    const shelved =
      known?.revision === base.revision
        ? known
        : { revision: base.revision, terms: readTerms(db, scope, base.id) };
    this.#bases.set(base.id, shelved);
    for (const oldest of this.#bases.keys()) {
      if (this.#bases.size <= MOST_BASES) break;
      this.#bases.delete(oldest);
    }
    try {
      return await shelved.terms;
    } catch (error) {
      this.#bases.delete(base.id);
      throw error;
    }
  }
}

async function readTerms(
  db: Kysely<Tables>,
  scope: TenantScope,
  base: string,
): Promise<readonly CachedTerm[]> {
  const rows = await withinTenant(db, scope)
    .selectFrom('knowledge_terms')
    .select((of) => [of.fn.max('term').as('term'), 'sound', of.fn.sum('uses').as('uses')])
    .where('base_id', '=', base)
    .groupBy('sound')
    .orderBy('uses', 'desc')
    .limit(MOST_TERMS)
    .execute();
  return rows.map(({ term, sound }) => ({ term, sound }));
}

export function findMisheard(words: readonly PhoneticWord[], terms: readonly CachedTerm[]): MisheardTerm[] {
  const heard = words.map(({ sounds }) => sounds).join('');
  return terms
    .filter(({ sound }) => sound.length >= FEWEST_SOUNDS && mayContain(heard, sound, editsOf(sound)))
    .flatMap(({ term, sound }) =>
      findPhonetic(words, sound, editsOf(sound)).map((span) => ({ term, ...span })),
    )
    .sort((a, b) => b.similarity - a.similarity || b.end - b.start - (a.end - a.start));
}

const editsOf = (sound: string): number => Math.floor(sound.length / SOUNDS_AN_EDIT);
