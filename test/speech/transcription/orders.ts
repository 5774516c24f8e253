import type { TranscriptionJobRow } from '../../../src/foundation/storage/tables/jobs.ts';
import type { NewJob } from '../../../src/speech/transcription/index.ts';
import { type JobRequest, PLAIN_REQUEST } from '../../../src/speech/transcription/index.ts';
import { unlimitedAdmission } from '../../edge/server/fixtures/admission.ts';
import { JobsAccess } from '../../edge/surfaces/hear/jobs-access.ts';

/** A client sends the order under one Idempotency-Key, again and again, until it has an answer. */
export interface Order {
  readonly key: string;
  readonly kind: OrderKind;
  readonly lines: number;
}

export const ORDER_KINDS = ['url', 'broken', 'trace', 'speakers', 'channels'] as const;
export type OrderKind = (typeof ORDER_KINDS)[number];

const plain = PLAIN_REQUEST;
const requests: Record<OrderKind, JobRequest> = {
  url: plain,
  broken: plain,
  trace: { ...plain, entities: ['EMAIL', 'PHONE'] },
  speakers: { ...plain, diarize: true },
  channels: { ...plain, channel: true },
};

export interface Outside {
  readonly audio: string;
  readonly hook: string;
}

export const principal = new JobsAccess().principal();

export function submissionOf({ key, kind, lines }: Order, id: string, outside: Outside): NewJob {
  return {
    id,
    principal,
    admission: unlimitedAdmission(),
    request: requests[kind],
    audioUrl: `${outside.audio}/${kind}/${lines}`,
    webhookUrl: `${outside.hook}/${kind}`,
    idempotencyKey: key,
    keep: async () => {},
  };
}

export const lineOf = (line: number): { text: string; speaker: number } => ({
  text: `line ${line}`,
  speaker: line % 2,
});

export const jobRow = (id: string, orgId: string): TranscriptionJobRow => ({
  id,
  org_id: orgId,
  project_id: 'proj_test',
  key_id: null,
  environment: 'live',
  status: 'queued',
  request: JSON.stringify(plain),
  audio_url: null,
  webhook_url: null,
  idempotency_key: null,
  external_id: null,
  max_bytes: 1e9,
  max_seconds: 14_400,
  language: null,
  duration_ms: null,
  progress: 0,
  pii_count: null,
  error: null,
  created_at: 0,
  started_at: null,
  completed_at: null,
  audio_removed_at: null,
});
