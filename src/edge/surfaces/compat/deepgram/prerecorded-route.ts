/** POST /deepgram/v1/listen: a recording as bytes, or the address of one. */
import { createHash } from 'node:crypto';
import { Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import { GateError } from '../../../../foundation/platform/url-gate/index.ts';
import type { EngineWord, HearLanguage } from '../../../../media/engine/index.ts';
import { HEAR_LANGUAGES } from '../../../../media/engine/index.ts';
import { segmentWords } from '../../../../speech/transcription/index.ts';
import type { DeepgramDeps } from './index.ts';
import { checkOptions, languageOf, PrerecordedQuery } from './query.ts';

interface FinishedTranscription {
  readonly text: string;
  readonly words: EngineWord[];
  readonly duration: number;
  whole(): Promise<unknown>;
  bill(): Promise<void>;
}

/** Hear's transcriber, as this door uses it. */
export interface RecordingTranscriber {
  storeUpload(bytes: Readable): Promise<{ readonly path: string; discard(): Promise<void> }>;
  begin(
    request: FastifyRequest,
    path: string,
    wishes: { language?: HearLanguage },
  ): Promise<FinishedTranscription>;
}

const Word_ = Type.Object({
  word: Type.String(),
  start: Type.Number(),
  end: Type.Number(),
  confidence: Type.Number({ description: 'Not measured: 0' }),
  punctuated_word: Type.String(),
});
const Alternative = Type.Object({
  transcript: Type.String(),
  confidence: Type.Number(),
  words: Type.Array(Word_),
});
const Response = Type.Object({
  metadata: Type.Object({
    request_id: Type.String(),
    sha256: Type.String(),
    created: Type.String(),
    duration: Type.Number(),
    channels: Type.Integer(),
    models: Type.Array(Type.String()),
    model_info: Type.Object({}, { additionalProperties: true }),
  }),
  results: Type.Object({
    channels: Type.Array(Type.Object({ alternatives: Type.Array(Alternative) })),
    utterances: Type.Optional(
      Type.Array(
        Type.Object({
          start: Type.Number(),
          end: Type.Number(),
          confidence: Type.Number(),
          channel: Type.Integer(),
          transcript: Type.String(),
          words: Type.Array(Word_),
          id: Type.String(),
        }),
      ),
    ),
  }),
});

const UrlBody = Type.Object({ url: Type.String({ maxLength: 2048, format: 'uri' }) });

const IGNORED_HEADER = {
  'x-svc-ignored': {
    description: 'Options of the request that changed nothing',
    schema: { type: 'string' },
    example: 'smart_format',
  },
};

export function prerecordedRoute(app: FastifyInstance, deps: DeepgramDeps): void {
  app.post<{ Querystring: PrerecordedQuery }>('/deepgram/v1/listen', {
    config: {
      access: { kind: 'key', scope: 'hear:transcribe' },
      vendor: 'deepgram',
      meters: true,
      bytes: {
        types: ['audio/*', 'application/octet-stream'],
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
          headers: IGNORED_HEADER,
          content: { 'application/json': { schema: Response } },
        },
      },
    },
    handler: async (request, reply) => {
      const ignored = checkOptions(request.query);
      const language = readLanguage(request.query.language);
      const { bytes, sha256 } = hashed(await bytesOf(deps, request));
      const upload = await deps.transcriber.storeUpload(bytes).catch(tooLarge);
      try {
        const wishes = language === null ? {} : { language };
        const transcription = await deps.transcriber.begin(request, upload.path, wishes);
        await transcription.whole();
        request.gone.throwIfAborted();
        await transcription.bill();
        if (ignored.length > 0) reply.header('x-svc-ignored', ignored.join(', '));
        return show(request, transcription, sha256());
      } finally {
        await upload.discard();
      }
    },
  });
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

const FETCH_MS = 60_000;
const MIN_BYTES_PER_SECOND = 16_000;

async function bytesOf({ gate }: DeepgramDeps, request: FastifyRequest): Promise<Readable> {
  const { body } = request;
  const maxBytes = request.caller().limits.syncUpload.bytes;
  if (body instanceof Readable) return body.pipe(bounded(maxBytes));
  const { url } = (body ?? {}) as Partial<Static<typeof UrlBody>>;
  if (typeof url !== 'string') {
    throw new ApiError('invalid_request', 'Send the recording as the body, or JSON with its url.', {
      param: 'url',
    });
  }
  try {
    const answer = await gate.fetch(url, {
      headers: { accept: 'audio/*, */*;q=0.1' },
      maxBytes,
      timeoutMs: FETCH_MS,
      leastBytesPerSecond: MIN_BYTES_PER_SECOND,
      maxRedirects: 5,
      signal: request.gone,
    });
    if (answer.status === 200) return answer.body;
    answer.body.destroy();
    throw new ApiError('invalid_request', `The URL answered ${answer.status}.`, { param: 'url' });
  } catch (error) {
    if (error instanceof GateError)
      throw new ApiError('invalid_request', error.message, { param: 'url', cause: error });
    throw error;
  }
}

function bounded(maxBytes: number): Transform {
  let count = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count += chunk.length;
      if (count <= maxBytes) done(null, chunk);
      else done(new ApiError('payload_too_large', `The recording holds more than ${maxBytes} bytes.`));
    },
  });
}

const tooLarge = (error: unknown): never => {
  throw error;
};

function hashed(source: Readable): { bytes: Readable; sha256: () => string } {
  const hash = createHash('sha256');
  source.on('data', (chunk: Buffer) => hash.update(chunk));
  source.pause();
  return { bytes: source, sha256: () => hash.digest('hex') };
}

const wordOf = ({ word, start, end }: EngineWord) => ({
  word: word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''),
  start,
  end,
  confidence: 0,
  punctuated_word: word,
});

function show(
  request: FastifyRequest<{ Querystring: PrerecordedQuery }>,
  done: FinishedTranscription,
  sha256: string,
) {
  const { text, words, duration } = done;
  const utterances = segmentWords(words).map(({ start, end, text: transcript }, at) => ({
    start,
    end,
    confidence: 0,
    channel: 0,
    transcript,
    words: words.filter((one) => one.start >= start && one.end <= end).map(wordOf),
    id: `${request.id}_${at}`,
  }));
  return {
    metadata: {
      request_id: request.id,
      sha256,
      created: new Date().toISOString(),
      duration,
      channels: 1,
      models: ['svc-hear'],
      model_info: { 'svc-hear': { name: 'svc-hear', version: '1', arch: 'svc-hear' } },
    },
    results: {
      channels: [{ alternatives: [{ transcript: text, confidence: 0, words: words.map(wordOf) }] }],
      ...(request.query.utterances?.toLowerCase() === 'true' ? { utterances } : {}),
    },
  };
}
