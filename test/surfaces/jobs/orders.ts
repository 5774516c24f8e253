import type { NewJob } from '../../../src/surfaces/jobs/service.ts';
import type { JobRequest } from '../../../src/surfaces/jobs/submission.ts';
import { JobsAccess } from './jobs-access.ts';

/** What a client wants done. It asks under one Idempotency-Key, again and again, until it has an answer. */
export interface Order {
  readonly key: string;
  readonly kind: OrderKind;
  readonly lines: number;
}

export const ORDER_KINDS = ['url', 'broken', 'trace', 'speakers', 'channels'] as const;
export type OrderKind = (typeof ORDER_KINDS)[number];

const plain: JobRequest = {
  outputFormats: ['json'],
  vocabulary: [],
  summaryLanguage: null,
  entities: null,
  diarize: false,
  channel: false,
  numerals: 'digits',
};
const requests: Record<OrderKind, JobRequest> = {
  url: plain,
  broken: plain,
  trace: { ...plain, entities: ['EMAIL', 'PHONE'] },
  speakers: { ...plain, diarize: true },
  channels: { ...plain, channel: true },
};

/** Where the world outside the nodes is: it is there before them and after. */
export interface Outside {
  readonly audio: string;
  readonly hook: string;
}

export const principal = new JobsAccess().principal();

export function submissionOf({ key, kind, lines }: Order, id: string, outside: Outside): NewJob {
  return {
    id,
    principal,
    request: requests[kind],
    audioUrl: `${outside.audio}/${kind}/${lines}`,
    webhookUrl: `${outside.hook}/${kind}`,
    idempotency: { key, bodyHash: key },
  };
}

export const lineOf = (line: number): { text: string; speaker: number } => ({
  text: `line ${line}`,
  speaker: line % 2,
});
