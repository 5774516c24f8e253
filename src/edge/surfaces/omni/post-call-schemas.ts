import { Type } from 'typebox';
import { CallExtraction, CallSummary } from '../../../foundation/events/index.ts';
import type { OmniCallRow } from '../../../foundation/storage/tables/omni.ts';

const resultOf = <S extends string>(statuses: readonly S[], description: string) =>
  Type.Object({ status: Type.Enum([...statuses], { description }), reason: Type.String() });

export const POST_CALL_FIELDS = {
  summary: Type.Optional(CallSummary),
  summary_result: Type.Optional(
    resultOf(
      ['success', 'pending', 'skipped', 'failed', 'removed', 'not_requested'],
      '`skipped` means that nothing was said.',
    ),
  ),
  extraction: Type.Optional(CallExtraction),
  extraction_result: Type.Optional(
    resultOf(
      ['success', 'partial', 'empty', 'pending', 'skipped', 'failed', 'removed', 'not_requested'],
      '`success`: the values are valid against the agent’s schema. `partial` and `empty`: required values are missing.',
    ),
  ),
};

const SUMMARY_REASONS = {
  success: 'summarized',
  skipped: 'nothing_was_said',
  failed: 'summary_failed',
  not_requested: 'summary_not_requested',
} as const;
const EXTRACTION_REASONS = {
  success: 'extracted',
  partial: 'fields_missing',
  empty: 'nothing_extracted',
  skipped: 'agent_deleted',
  failed: 'extraction_failed',
  not_requested: 'extraction_not_requested',
} as const;
const REMOVED = { status: 'removed', reason: 'transcript_retention_over' } as const;
/** A call with such a status never had a result, so none was removed. */
const NOT_REQUESTED: readonly (string | null)[] = ['skipped', 'failed', 'not_requested'];

const isRemoved = (row: Pick<OmniCallRow, 'transcript_removed_at'>, status: string | null): boolean =>
  row.transcript_removed_at !== null && !NOT_REQUESTED.includes(status);

export const hasSummary = (row: Pick<OmniCallRow, 'summary_status' | 'transcript_removed_at'>): boolean =>
  row.summary_status === 'success' && row.transcript_removed_at === null;

interface PostCallResults {
  readonly summary?: unknown;
  readonly summary_result: { readonly status: string; readonly reason: string };
}

export function showSummary(row: OmniCallRow): PostCallResults {
  const status = row.summary_status;
  if (isRemoved(row, status)) return { summary_result: REMOVED };
  if (status === null) return { summary_result: { status: 'pending', reason: 'summary_in_progress' } };
  return {
    ...(row.summary === null ? {} : { summary: JSON.parse(row.summary) as unknown }),
    summary_result: { status, reason: SUMMARY_REASONS[status] },
  };
}

export function showExtraction(row: OmniCallRow) {
  const status = row.extraction_status;
  if (isRemoved(row, status)) return { extraction_result: REMOVED };
  if (status === null) return { extraction_result: { status: 'pending', reason: 'extraction_in_progress' } };
  return {
    ...(row.extraction === null ? {} : { extraction: JSON.parse(row.extraction) as unknown }),
    extraction_result: { status, reason: EXTRACTION_REASONS[status] },
  };
}
