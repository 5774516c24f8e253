import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import type { HearLanguage } from '../../../../media/engine/index.ts';
import { HEAR_LANGUAGES } from '../../../../media/engine/index.ts';
import type { DeepgramDeps } from './index.ts';
import { ignoredOfPrerecorded, isOn, languageOf, PrerecordedQuery, Warning, warningsOf } from './query.ts';
import { bytesOf, rawSoundOf, withHeader } from './recording-bytes.ts';
import { redactionsOf } from './redaction.ts';
import { Results, resultsOf, type Sentence } from './transcript.ts';

interface FinishedTranscription {
  readonly duration: number;
  readonly language: string | null;
  whole(): Promise<unknown>;
  sentences(): Promise<readonly Sentence[]>;
  bill(): Promise<void>;
}

export interface RecordingTranscriber {
  storeUpload(bytes: Readable): Promise<{ readonly path: string; discard(): Promise<void> }>;
  begin(
    request: FastifyRequest,
    path: string,
    wishes: { language?: HearLanguage; speakers?: boolean; channel?: 0 | 1 },
  ): Promise<FinishedTranscription>;
  countChannels(request: FastifyRequest, path: string): Promise<number>;
}

const Response = Type.Object({
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

const HEADERS = {
  'x-svc-model': {
    description: 'What served, whatever model was named',
    schema: { type: 'string' },
    example: 'svc-hear',
  },
  'x-svc-ignored': {
    description: 'Options of the request that changed nothing',
    schema: { type: 'string' },
    example: 'numerals',
  },
};

export function prerecordedRoute(app: FastifyInstance, deps: DeepgramDeps): void {
  app.post<{ Querystring: PrerecordedQuery }>('/deepgram/v1/listen', {
    config: {
      access: { kind: 'key', scope: 'hear:transcribe', grant: true },
      vendor: 'deepgram',
      cors: true,
      meters: true,
      bytes: {
        types: ['audio/*', 'video/*', 'application/octet-stream'],
        description: 'The recording, or JSON with its `url`',
      },
      errors: ['unsupported_language', 'invalid_audio', 'payload_too_large', 'unsupported_media_type'],
    },
    schema: {
      summary: 'Transcribe a recording, as Deepgram’s clients ask for it',
      tags: ['Deepgram clients'],
      operationId: 'deepgram_listen',
      querystring: PrerecordedQuery,
      response: {
        200: {
          description: 'The transcript',
          headers: HEADERS,
          content: { 'application/json': { schema: Response } },
        },
      },
    },
    handler: async (request, reply) => {
      const ignored = ignoredOfPrerecorded(request.query);
      const transcript = await transcribe(deps, request, ignored);
      reply.header('x-svc-model', 'svc-hear');
      if (ignored.length > 0) reply.header('x-svc-ignored', ignored.join(', '));
      return transcript;
    },
  });
}

async function transcribe(
  deps: DeepgramDeps,
  request: FastifyRequest<{ Querystring: PrerecordedQuery }>,
  ignored: readonly string[],
) {
  const { query } = request;
  const redact = redactionsOf([query.redact ?? []].flat().map(String));
  const language = readLanguage(query.language);
  const raw = rawSoundOf(query);
  const { bytes, sha256 } = hashed(await bytesOf(deps.gate, request));
  const upload = await deps.transcriber.storeUpload(
    raw === null ? bytes : withHeader(bytes, raw, isOn(query.multichannel)),
  );
  try {
    const separately =
      isOn(query.multichannel) && (await deps.transcriber.countChannels(request, upload.path)) > 1;
    const channels: { transcription: FinishedTranscription; sentences: readonly Sentence[] }[] = [];
    for (const channel of separately ? ([0, 1] as const) : [undefined]) {
      const transcription = await deps.transcriber.begin(request, upload.path, {
        speakers: isOn(query.diarize),
        ...(language === null ? {} : { language }),
        ...(channel === undefined ? {} : { channel }),
      });
      await transcription.whole();
      channels.push({ transcription, sentences: await transcription.sentences() });
    }
    request.gone.throwIfAborted();
    for (const { transcription } of channels) await transcription.bill();
    return {
      metadata: {
        transaction_key: 'deprecated',
        request_id: request.id,
        sha256: sha256(),
        created: new Date().toISOString(),
        duration: channels[0]!.transcription.duration,
        channels: channels.length,
        models: ['svc-hear'],
        model_info: { 'svc-hear': { name: 'svc-hear', version: '1', arch: 'svc-hear' } },
        ...(ignored.length > 0 ? { warnings: warningsOf(ignored) } : {}),
      },
      results: resultsOf(
        channels.map(({ transcription, sentences }) => ({ sentences, language: transcription.language })),
        {
          requestId: request.id,
          detectsLanguage: query.detect_language !== undefined && String(query.detect_language) !== 'false',
          paragraphs: isOn(query.paragraphs) || isOn(query.smart_format),
          utterances: isOn(query.utterances),
          redact,
        },
      ),
    };
  } finally {
    await upload.discard();
  }
}

function readLanguage(said: string | undefined): HearLanguage | null {
  const code = languageOf(said);
  if (code === null) return null;
  const known = HEAR_LANGUAGES.find((one) => one === code);
  if (known) return known;
  throw new ApiError('unsupported_language', `language is one of ${HEAR_LANGUAGES.join(', ')}.`, {
    param: 'language',
  });
}

function hashed(source: Readable): { bytes: Readable; sha256: () => string } {
  const hash = createHash('sha256');
  source.on('data', (chunk: Buffer) => hash.update(chunk));
  source.pause();
  return { bytes: source, sha256: () => hash.digest('hex') };
}
