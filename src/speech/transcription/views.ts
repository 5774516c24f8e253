import type { TranscriptionJobRow } from '../../foundation/storage/tables/jobs.ts';
import type { RecognizedWord } from './contract.ts';
import { type Outputs, outputsOf } from './outputs.ts';
import type { JobRequest } from './request.ts';
import type { Segment, Transcript } from './transcript.ts';

export interface JobSummary {
  readonly id: string;
  readonly object: 'transcription.job';
  readonly status: TranscriptionJobRow['status'];
  readonly created_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  readonly duration_s: number | null;
  readonly progress: number;
  readonly trace?: { readonly verdict: 'clean' | 'pii_found'; readonly pii_count: number };
  readonly error?: string;
}

export interface JobView extends JobSummary {
  readonly text: string | null;
  readonly words: readonly RecognizedWord[];
  readonly segments: readonly Segment[];
  readonly outputs: Outputs;
}

export function summaryOf(row: TranscriptionJobRow): JobSummary {
  const scanned = row.status === 'completed' && row.pii_count !== null;
  return {
    id: row.id,
    object: 'transcription.job',
    status: row.status,
    created_at: row.created_at,
    started_at: row.started_at,
    completed_at: row.completed_at,
    duration_s: row.duration_ms === null ? null : row.duration_ms / 1000,
    progress: row.status === 'completed' ? 1 : row.progress / 1000,
    ...(scanned
      ? { trace: { verdict: row.pii_count === 0 ? 'clean' : 'pii_found', pii_count: row.pii_count ?? 0 } }
      : {}),
    ...(row.error === null ? {} : { error: row.error }),
  };
}

export function viewOf(row: TranscriptionJobRow, document: string | null): JobView {
  if (document === null) return { ...summaryOf(row), text: null, words: [], segments: [], outputs: {} };
  const transcript = JSON.parse(document) as Transcript;
  const request = JSON.parse(row.request) as JobRequest;
  return {
    ...summaryOf(row),
    text: transcript.text,
    words: transcript.words,
    segments: transcript.segments,
    outputs: outputsOf(transcript, request.outputFormats),
  };
}
