import type { Environment } from '../../foundation/access/contract.ts';
import { ApiError } from '../../foundation/platform/errors.ts';

export interface KnowledgeLimits {
  readonly bases: number;
  /** The limit covers all bases of a project and environment. */
  readonly documents: number;
  readonly chunks: number;
  readonly fileBytes: number;
}

const LIMITS: Readonly<Record<Environment, KnowledgeLimits>> = {
  sandbox: { bases: 5, documents: 200, chunks: 5_000, fileBytes: 5 * 1024 * 1024 },
  live: { bases: 1_000, documents: 50_000, chunks: 500_000, fileBytes: 50 * 1024 * 1024 },
};

export const knowledgeLimitsOf = (environment: Environment): KnowledgeLimits => LIMITS[environment];

export const MAX_TEXT_CHARACTERS = 1_000_000;
/** A longer text is a book, or was made to fill the index. */
export const MAX_CHUNKS_PER_DOCUMENT = 20_000;

export const limitReached = (what: string, most: number, environment: Environment): ApiError =>
  new ApiError(
    'knowledge_full',
    `A project can have at most ${most} ${what}${environment === 'sandbox' ? ' in the sandbox' : ''}. Delete some first.`,
  );
