import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { contentStems } from '../../language/retrieval/index.ts';
import type { Passage } from '../brains/index.ts';
import type { TranscriptEntry } from '../session/index.ts';
import type { CallEnd } from './call-store.ts';
import type { CallConfiguration, ServedLanguage } from './configuration.ts';

export interface KnowledgeBasePassage extends Passage {
  readonly documentId: string;
}

/** The owner of the bases; null selects the organization's defaults. */
export interface CallKnowledgeBinding {
  readonly scope: TenantScope;
  readonly bases: readonly string[] | null;
}

export interface KnowledgeBaseSource {
  passagesFor(
    asked: CallKnowledgeBinding & { readonly query: string },
    signal: AbortSignal,
  ): Promise<readonly KnowledgeBasePassage[] | null>;
  vocabularyOf(of: CallKnowledgeBinding, most: number): Promise<readonly string[]>;
  noteGaps(of: CallKnowledgeBinding, gaps: readonly KnowledgeGap[]): Promise<void>;
}

export interface KnowledgeGap {
  readonly question: string;
  readonly language: string;
  readonly callId: string;
  readonly externalId: string | null;
}

/** The passages that a turn got; `used` is true where the caller heard words of them. */
export interface Grounding {
  readonly turn_id: number;
  readonly passages: readonly {
    readonly document_id: string | null;
    readonly source: string | null;
    readonly score: number | null;
    readonly used: boolean;
  }[];
}

export interface CallKnowledgeDeps {
  readonly hosted: KnowledgeBaseSource | null;
  readonly clock: Clock;
  readonly scope: TenantScope;
  readonly bases: () => readonly string[];
  readonly onFault: (error: unknown) => void;
}

/** It equals the timeout of a customer's knowledge endpoint; the turn continues without a slower result. */
const RETRIEVAL_TIMEOUT_MS = 800;
/** A passage counts as used where the answer holds this share of its content words. */
const USED_SHARE = 0.5;
/** A shorter utterance ("yes", "and then") is no question to search for. */
const FEWEST_WORDS = 2;
const MOST_PASSAGES = 8;

/** A lane takes this many terms. Bases contribute fewer, because more of them cause false recognitions. */
const MOST_TERMS = 200;
const MOST_TERMS_OF_BASES = 50;

export class CallKnowledge {
  readonly #deps: CallKnowledgeDeps;
  readonly #given = new Map<string, readonly KnowledgeBasePassage[]>();
  readonly #givenElsewhere = new Map<string, readonly Passage[]>();
  #before: { readonly report: readonly Grounding[]; readonly isFromBasesOnly: boolean } | null = null;

  constructor(deps: CallKnowledgeDeps) {
    this.#deps = deps;
  }

  /**
   * Retrieves from the bases and from the customer's endpoint, and interleaves the two with the endpoint's
   * passages first.
   */
  async retrieve(
    query: string,
    own: Promise<readonly Passage[]>,
    signal: AbortSignal,
  ): Promise<readonly Passage[]> {
    const [hosted, given] = await Promise.all([this.#ofBases(query, signal), own]);
    // A question that the customer's own endpoint answers is not a gap of the bases.
    if (hosted.length === 0 && given.length > 0) this.#given.delete(query);
    if (given.length > 0) this.#givenElsewhere.set(query, given);
    return interleave(given, hosted);
  }

  /** A failed search in the bases does not stop the turn. */
  async #ofBases(query: string, signal: AbortSignal): Promise<readonly Passage[]> {
    const { hosted, clock, onFault } = this.#deps;
    if (hosted === null || query.trim() === '') return [];
    const late = new AbortController();
    const stop = clock.after(RETRIEVAL_TIMEOUT_MS, () => late.abort());
    try {
      const given = AbortSignal.any([signal, late.signal]);
      const ended = new Promise<null>((resolve) =>
        given.addEventListener('abort', () => resolve(null), { once: true }),
      );
      const found = await Promise.race([hosted.passagesFor({ ...this.#bound, query }, given), ended]);
      if (found !== null && !given.aborted) this.#given.set(query, found);
      return found ?? [];
    } catch (error) {
      if (!signal.aborted) onFault(error);
      return [];
    } finally {
      stop();
    }
  }

  groundingReport(transcript: readonly TranscriptEntry[], language: ServedLanguage): Grounding[] {
    const now = transcript.flatMap((entry, at) => {
      if (entry.role !== 'user') return [];
      const passages: (Passage | KnowledgeBasePassage)[] = interleave(
        this.#givenElsewhere.get(entry.text) ?? [],
        this.#given.get(entry.text) ?? [],
      );
      if (passages.length === 0) return [];
      const answer = transcript.slice(at + 1).find(({ role }) => role === 'agent')?.text ?? '';
      return [
        { turn_id: entry.turnId, passages: passages.map((one) => groundedPassage(one, answer, language)) },
      ];
    });
    return [...(this.#before?.report ?? []), ...now];
  }

  restore(report: readonly Grounding[], isFromBasesOnly: boolean): void {
    this.#before = { report, isFromBasesOnly };
  }

  get isFromBasesOnly(): boolean {
    if (this.#givenElsewhere.size > 0) return false;
    const before = this.#before;
    if (before !== null && before.report.length > 0 && !before.isFromBasesOnly) return false;
    return this.#given.size > 0 || before?.isFromBasesOnly === true;
  }

  async vocabulary(own: readonly string[], language: string): Promise<readonly string[]> {
    const { hosted, onFault } = this.#deps;
    const available = Math.min(MOST_TERMS_OF_BASES, MOST_TERMS - own.length);
    if (hosted === null || this.#bound.bases === null || language !== 'en' || available <= 0) return own;
    const known = new Set(own.map((term) => term.toLowerCase()));
    const found = await hosted.vocabularyOf(this.#bound, available).catch((error: unknown) => {
      onFault(error);
      return [];
    });
    return [...own, ...found.filter((term) => !known.has(term.toLowerCase()))];
  }

  /** Never rejects: the call ends whether or not its gaps were stored. */
  async noteGaps(end: CallEnd | null, configured: CallConfiguration | null, callId: string): Promise<void> {
    if (end === null || configured === null) return;
    const { hosted, onFault } = this.#deps;
    const { language, externalId } = configured;
    const said = (end.transcript as readonly Pick<TranscriptEntry, 'role' | 'text'>[]).filter(
      ({ role, text }) => role === 'user' && this.#given.get(text)?.length === 0,
    );
    const gaps = said
      .filter(({ text }) => contentStems(text, language).length >= FEWEST_WORDS)
      .map(({ text }) => ({ question: text, language, callId, externalId }));
    if (gaps.length > 0) await hosted?.noteGaps(this.#bound, gaps).catch(onFault);
  }

  get #bound(): CallKnowledgeBinding {
    const bases = this.#deps.bases();
    return { scope: this.#deps.scope, bases: bases.length === 0 ? null : bases };
  }
}

function interleave(
  first: readonly Passage[],
  second: readonly (Passage | KnowledgeBasePassage)[],
): (Passage | KnowledgeBasePassage)[] {
  const both = Array.from({ length: Math.max(first.length, second.length) }, (_, at) => [
    first[at],
    second[at],
  ]);
  return both
    .flat()
    .filter((one) => one !== undefined)
    .slice(0, MOST_PASSAGES);
}

function groundedPassage(passage: Passage | KnowledgeBasePassage, answer: string, language: ServedLanguage) {
  const said = contentStems(answer, language);
  const there = new Set(contentStems(passage.text, language));
  const share = said.filter((stem) => there.has(stem)).length / Math.max(1, said.length);
  return {
    document_id: 'documentId' in passage ? passage.documentId : null,
    source: passage.source ?? null,
    score: passage.score ?? null,
    used: said.length > 0 && share >= USED_SHARE,
  };
}
