import Type, { type Static } from 'typebox';
import { nullable } from '../define-event.ts';

export const jobSummary = {
  id: Type.String(),
  object: Type.Literal('transcription.job'),
  status: Type.Enum(['queued', 'processing', 'completed', 'failed']),
  created_at: Type.Integer(),
  started_at: nullable(Type.Integer()),
  completed_at: nullable(Type.Integer()),
  duration_s: nullable(Type.Number()),
  progress: Type.Number({ minimum: 0, maximum: 1 }),
  trace: Type.Optional(
    Type.Object({ verdict: Type.Enum(['clean', 'pii_found']), pii_count: Type.Integer() }),
  ),
  error: Type.Optional(Type.String({ description: 'Why the job failed.' })),
};

export const JobSummary = Type.Object(jobSummary);

export const JobEventData = Type.Object({
  ...jobSummary,
  idempotency_key: nullable(
    Type.String({ description: 'The idempotency key with which the job was submitted.' }),
  ),
});

export const JOB_COMPLETED: Static<typeof JobEventData> = {
  id: 'job_4fT9bQw2LmXc7RzK1hVd',
  object: 'transcription.job',
  status: 'completed',
  created_at: 1_795_348_800_000,
  started_at: 1_795_348_801_000,
  completed_at: 1_795_348_809_000,
  duration_s: 183.4,
  progress: 1,
  idempotency_key: 'ticket-4711',
};

export const JOB_FAILED: Static<typeof JobEventData> = {
  ...JOB_COMPLETED,
  status: 'failed',
  duration_s: null,
  progress: 0,
  error: 'The file is not audio that can be decoded.',
};
