import type { Readable } from 'node:stream';
import Type from 'typebox';
import { Warning, warningsOf } from './query.ts';
import { type HeardChannel, Results, resultsOf, type TranscriptOptions } from './transcript.ts';

/** A recording on its way in; the hash is complete once its bytes were read. */
export interface Recording {
  readonly bytes: Readable;
  readonly sha256: () => string;
}

export interface AnswerOptions extends Omit<TranscriptOptions, 'requestId'> {
  readonly ignored: readonly string[];
}

export const Answer = Type.Object({
  metadata: Type.Object({
    transaction_key: Type.String(),
    request_id: Type.String(),
    sha256: Type.String(),
    created: Type.String(),
    duration: Type.Number(),
    channels: Type.Integer(),
    models: Type.Array(Type.String()),
    model_info: Type.Object({}, { additionalProperties: true }),
    warnings: Type.Optional(Type.Array(Warning)),
  }),
  results: Results,
});

export function answerOf(
  about: {
    readonly requestId: string;
    readonly sha256: string;
    readonly createdAt: number;
    readonly seconds: number;
  },
  channels: readonly HeardChannel[],
  { ignored, ...options }: AnswerOptions,
) {
  const { requestId, sha256, createdAt, seconds } = about;
  return {
    metadata: {
      transaction_key: 'deprecated',
      request_id: requestId,
      sha256,
      created: new Date(createdAt).toISOString(),
      duration: seconds,
      channels: channels.length,
      models: ['svc-hear'],
      model_info: { 'svc-hear': { name: 'svc-hear', version: '1', arch: 'svc-hear' } },
      ...(ignored.length > 0 ? { warnings: warningsOf(ignored) } : {}),
    },
    results: resultsOf(channels, { ...options, requestId }),
  };
}
