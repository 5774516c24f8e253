import type { SelectQueryBuilder } from 'kysely';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { EveryTable } from '../../foundation/storage/index.ts';
import { spokenWords } from '../../language/text/index.ts';

export interface OmniCallFilter {
  readonly agent_id?: string | undefined;
  readonly agent_version?: number | undefined;
  readonly session_label?: string | undefined;
  readonly external_id?: string | undefined;
  readonly status?: 'completed' | 'failed' | undefined;
  readonly outcome?: string | undefined;
  /** Both ends of the period are inclusive, in Unix milliseconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Each word must occur in the transcript, at least as the beginning of a word. */
  readonly q?: string | undefined;
}

const EQUAL = ['agent_id', 'agent_version', 'session_label', 'external_id', 'status', 'outcome'] as const;

const wrong = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });

export function checkCallFilter({ agent_id, agent_version, from, to, q }: OmniCallFilter): void {
  if (agent_version !== undefined && agent_id === undefined)
    throw wrong('agent_version', 'agent_version requires agent_id.');
  if (from !== undefined && to !== undefined && from > to)
    throw wrong('to', 'to is before from: it must be later.');
  if (q !== undefined && wordsIn(q).length === 0) throw wrong('q', 'q has no word to search for.');
}

export function applyCallFilter<O>(
  calls: SelectQueryBuilder<EveryTable, 'omni_calls', O>,
  filter: OmniCallFilter,
): SelectQueryBuilder<EveryTable, 'omni_calls', O> {
  let found = calls;
  for (const name of EQUAL) {
    const value = filter[name];
    if (value !== undefined) found = found.where(name, '=', value as never);
  }
  if (filter.from !== undefined) found = found.where('started_at', '>=', filter.from);
  if (filter.to !== undefined) found = found.where('started_at', '<=', filter.to);
  // The words have only letters, digits and their marks, so no wildcard reaches LIKE.
  for (const word of wordsIn(filter.q ?? '')) found = found.where('said', 'like', `% ${word}%`);
  return found;
}

const wordsIn = (q: string): string[] => spokenWords(q).split(' ').filter(Boolean);

export const searchTextOf = (transcript: readonly unknown[]): string =>
  spokenWords((transcript as readonly { readonly text: string }[]).map(({ text }) => text).join('\n'));
