import type { TenantScope } from '../../../foundation/access/contract.ts';
import type { Storage } from '../../../foundation/storage/index.ts';
import type { KnowledgeBaseRow } from '../../../foundation/storage/tables/knowledge.ts';
import { normalizeIpa, type PhoneticWord, plainText, tokensOf } from '../../../language/text/index.ts';
import { type DistinctiveTerm, distinctiveTerms } from './distinctive-terms.ts';
import { findMisheard, type MisheardTerm, TermCache } from './term-cache.ts';

export interface LanguagePronouncer {
  readonly pronounce: (words: readonly string[]) => Promise<readonly string[]>;
  readonly isCommon: (word: string) => boolean;
}

export interface Pronouncers {
  readonly of: (language: string) => LanguagePronouncer | null;
  readonly close: () => void;
}

export interface PronouncedTerm {
  readonly term: string;
  readonly sound: string;
  readonly uses: number;
}

export interface CorrectedQuestion {
  readonly question: string;
  readonly terms: readonly string[];
}

const MAX_CORRECTIONS = 3;
const LONGEST_QUESTION = 60;

/** Matches terms by their sound: recognition writes other words, but the sounds stay nearly the same. */
export class PhoneticMatcher {
  readonly #storage: Storage;
  readonly #words: Pronouncers | null;
  readonly #onFault: (error: Error) => void;
  readonly #cache = new TermCache();

  constructor(storage: Storage, words: Pronouncers | null, onFault: (error: Error) => void) {
    this.#storage = storage;
    this.#words = words;
    this.#onFault = onFault;
  }

  async pronounceTerms(counted: readonly DistinctiveTerm[], language: string): Promise<PronouncedTerm[]> {
    const words = this.#words?.of(language) ?? null;
    if (words === null) return [];
    const found = distinctiveTerms(counted, words.isCommon);
    const ipa = await this.#pronounced(
      words.pronounce,
      found.map(({ term }) => term),
    );
    return found.flatMap(({ term, uses }, at) => {
      const sound = normalizeIpa(ipa[at] ?? '');
      return sound === '' ? [] : [{ term, sound, uses }];
    });
  }

  async correct(
    scope: TenantScope,
    bases: readonly KnowledgeBaseRow[],
    question: string,
  ): Promise<CorrectedQuestion> {
    const text = plainText(question);
    const words = await this.#soundings(text, bases[0]?.language ?? 'en');
    const found: MisheardTerm[] = [];
    for (const base of words.length === 0 ? [] : bases) {
      const of = { id: base.id, revision: Number(base.revision) };
      found.push(...findMisheard(words, await this.#cache.termsOf(this.#storage.db, scope, of)));
    }
    const chosen = found
      .sort((a, b) => b.similarity - a.similarity)
      .filter(
        (one, at) => !found.slice(0, at).some((other) => one.start < other.end && other.start < one.end),
      )
      .slice(0, MAX_CORRECTIONS)
      .filter(({ term, start, end }) => text.slice(start, end).toLowerCase() !== term.toLowerCase());
    return { question: withTermsInPlace(text, chosen), terms: chosen.map(({ term }) => term) };
  }

  async vocabulary(scope: TenantScope, bases: readonly KnowledgeBaseRow[], most: number): Promise<string[]> {
    const found: string[] = [];
    for (const base of bases) {
      const of = { id: base.id, revision: Number(base.revision) };
      const terms = await this.#cache.termsOf(this.#storage.db, scope, of);
      found.push(...terms.slice(0, most).map(({ term }) => term));
    }
    return [...new Set(found)].slice(0, most);
  }

  async #soundings(text: string, language: string): Promise<PhoneticWord[]> {
    const words = this.#words?.of(language) ?? null;
    const tokens = tokensOf(text).filter((token) => /^\p{L}/u.test(token.text));
    if (words === null || tokens.length > LONGEST_QUESTION) return [];
    const ipa = await this.#pronounced(
      words.pronounce,
      tokens.map((token) => token.text),
    );
    return tokens.map(({ start, end }, at) => ({ sounds: normalizeIpa(ipa[at] ?? ''), start, end }));
  }

  /** Without sounds, a base is searched by spelling, so a failing pronouncer fails no document and no question. */
  async #pronounced(
    pronounce: LanguagePronouncer['pronounce'],
    words: readonly string[],
  ): Promise<readonly string[]> {
    try {
      return words.length === 0 ? [] : await pronounce(words);
    } catch (error) {
      this.#onFault(error as Error);
      return [];
    }
  }
}

function withTermsInPlace(text: string, spans: readonly MisheardTerm[]): string {
  let mended = text;
  for (const { start, end, term } of [...spans].sort((a, b) => b.start - a.start))
    mended = mended.slice(0, start) + term + mended.slice(end);
  return mended;
}
