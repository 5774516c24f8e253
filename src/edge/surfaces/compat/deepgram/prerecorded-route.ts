import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import type { HearLanguage } from '../../../../media/engine/index.ts';
import { HEAR_LANGUAGES } from '../../../../media/engine/index.ts';
import { Answer, type AnswerOptions, answerOf, type Recording } from './answer.ts';
import type { DeepgramCallbacks } from './callbacks.ts';
import type { DeepgramDeps } from './index.ts';
import { ignoredOfPrerecorded, isOn, languageOf, PrerecordedQuery } from './query.ts';
import { bytesOf, rawSoundOf, withHeader } from './recording-bytes.ts';
import { redactionsOf } from './redaction.ts';
import type { Sentence } from './transcript.ts';

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

/** With `callback`, the request's id alone comes at once. */
const Response = Type.Union([Answer, Type.Object({ request_id: Type.String() })]);

const HEADERS = {
  'x-svc-model': {
    description: 'The model that served the request, regardless of the requested model.',
    schema: { type: 'string' },
    example: 'svc-hear',
  },
  'x-svc-ignored': {
    description: 'Options of the request that had no effect.',
    schema: { type: 'string' },
    example: 'numerals',
  },
};

export function prerecordedRoute(
  app: FastifyInstance,
  deps: DeepgramDeps,
  callbacks: DeepgramCallbacks,
): void {
  app.post<{ Querystring: PrerecordedQuery }>('/deepgram/v1/listen', {
    config: {
      access: { kind: 'key', scope: 'hear:transcribe', grant: true },
      vendor: 'deepgram',
      cors: true,
      meters: true,
      bytes: {
        types: ['audio/*', 'video/*', 'application/octet-stream'],
        description: 'The recording, or JSON with its `url`.',
      },
      errors: ['unsupported_language', 'invalid_audio', 'payload_too_large', 'unsupported_media_type'],
    },
    schema: {
      summary: 'Transcribe a recording, in Deepgram’s format',
      tags: ['Deepgram clients'],
      operationId: 'deepgram_listen',
      querystring: PrerecordedQuery,
      response: {
        200: {
          description: 'The transcript. With `callback`, only the request ID.',
          headers: HEADERS,
          content: { 'application/json': { schema: Response } },
        },
      },
    },
    handler: async (request, reply) => {
      const ignored = ignoredOfPrerecorded(request.query);
      const transcript = await answer(deps, callbacks, request, ignored);
      reply.header('x-svc-model', 'svc-hear');
      if (ignored.length > 0) reply.header('x-svc-ignored', ignored.join(', '));
      return transcript;
    },
  });
}

type ListenRequest = FastifyRequest<{ Querystring: PrerecordedQuery }>;

async function answer(
  deps: DeepgramDeps,
  callbacks: DeepgramCallbacks,
  request: ListenRequest,
  ignored: readonly string[],
) {
  const { query } = request;
  const options: AnswerOptions = {
    detectsLanguage: query.detect_language !== undefined && String(query.detect_language) !== 'false',
    paragraphs: isOn(query.paragraphs) || isOn(query.smart_format),
    utterances: isOn(query.utterances),
    redact: redactionsOf([query.redact ?? []].flat().map(String)),
    ignored,
  };
  const { callback } = query;
  if (callback === undefined) return await transcribe(deps, request, options);
  const method = callbackMethodOf(query.callback_method);
  callbacks.check(callback);
  const multichannel = isOn(query.multichannel);
  const recording = await recordingOf(deps, request, request.caller().limits.jobUpload.bytes);
  const id = await callbacks.submit(request, recording, {
    url: callback,
    method,
    diarize: isOn(query.diarize),
    multichannel,
    options,
  });
  return { request_id: id };
}

function callbackMethodOf(said: unknown): 'POST' | 'PUT' {
  const method = String(said ?? 'post').toUpperCase();
  if (method === 'POST' || method === 'PUT') return method;
  throw new ApiError('invalid_request', 'callback_method must be post or put.', { param: 'callback_method' });
}

async function recordingOf(
  { gate }: DeepgramDeps,
  request: ListenRequest,
  maxBytes: number,
): Promise<Recording> {
  const { query } = request;
  const raw = rawSoundOf(query);
  const { bytes, sha256 } = hashed(await bytesOf(gate, request, maxBytes));
  return { bytes: raw === null ? bytes : withHeader(bytes, raw, isOn(query.multichannel)), sha256 };
}

async function transcribe(deps: DeepgramDeps, request: ListenRequest, options: AnswerOptions) {
  const { query } = request;
  const language = readLanguage(query.language);
  const { bytes, sha256 } = await recordingOf(deps, request, request.caller().limits.syncUpload.bytes);
  const upload = await deps.transcriber.storeUpload(bytes);
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
    return answerOf(
      {
        requestId: request.id,
        sha256: sha256(),
        createdAt: deps.clock.now(),
        seconds: channels[0]!.transcription.duration,
      },
      channels.map(({ transcription, sentences }) => ({ sentences, language: transcription.language })),
      options,
    );
  } finally {
    await upload.discard();
  }
}

function readLanguage(said: string | undefined): HearLanguage | null {
  const code = languageOf(said);
  if (code === null) return null;
  const known = HEAR_LANGUAGES.find((one) => one === code);
  if (known) return known;
  throw new ApiError('unsupported_language', `language must be one of ${HEAR_LANGUAGES.join(', ')}.`, {
    param: 'language',
  });
}

function hashed(source: Readable): Recording {
  const hash = createHash('sha256');
  source.on('data', (chunk: Buffer) => hash.update(chunk));
  source.pause();
  return { bytes: source, sha256: () => hash.digest('hex') };
}
