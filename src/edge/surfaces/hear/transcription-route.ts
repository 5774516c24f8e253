import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { isForeignModel } from '../../../foundation/platform/model-names.ts';
import { EngineError, EXPERIMENTAL_LANGUAGES } from '../../../media/engine/index.ts';
import type { Form } from '../../server/surface.ts';
import { checkAnyModel, HEAR_MODEL, readLanguage } from './recognition-fields.ts';
import type { StoredUpload, Transcriber, TranscriptionOptions } from './transcriber.ts';
import { showTranscript, streamTranscript, TRANSCRIPT_RESPONSE } from './transcript-response.ts';
import {
  type TranscriptionFields,
  type TranslationFields,
  transcriptionForm,
  translationForm,
  WITHOUT_EFFECT,
} from './transcription-fields.ts';

const config = {
  access: { kind: 'key', scope: 'hear:transcribe' },
  meters: true,
  errors: ['unsupported_language', 'unsupported_model', 'invalid_audio'],
} as const;

export function transcriptionRoute(app: FastifyInstance, transcriber: Transcriber): void {
  app.post('/v1/audio/transcriptions', {
    config: { ...config, form: transcriptionForm.schema, errors: [...config.errors] },
    schema: {
      summary: 'Transcribe a recording',
      description:
        'Audio without speech returns an empty text and is not billed. With `language`, the audio is recognized in that language; `hi` is written in Devanagari.',
      tags: ['Hear'],
      response: { 200: TRANSCRIPT_RESPONSE },
    },
    handler: (request, reply) => transcribe(transcriber, request, reply),
  });
  app.post('/v1/audio/translations', {
    config: { ...config, form: translationForm.schema, errors: [...config.errors] },
    schema: {
      summary: 'Translate a recording into English',
      description: 'Words have no timestamps of their own; segments are up to 30 s long.',
      tags: ['Hear'],
      response: { 200: TRANSCRIPT_RESPONSE },
    },
    handler: (request, reply) => translate(transcriber, request, reply),
  });
}

/** OpenAI's clients write a language in more forms than our own do. */
function languageOf({ language, languages, model }: TranscriptionFields) {
  const said = language ?? (languages?.length === 1 ? languages[0] : undefined);
  if (!isForeignModel(model)) return readLanguage(said);
  return readLanguage(said?.split(/[-_]/, 1)[0]?.toLowerCase() || undefined);
}

const decodingOf = ({
  seed,
  temperature,
}: Pick<TranslationFields, 'seed' | 'temperature'>): TranscriptionOptions => ({
  ...(seed === undefined ? {} : { seed }),
  ...(temperature === undefined ? {} : { temperature }),
});

function transcriptionOptionsOf(fields: TranscriptionFields): TranscriptionOptions {
  const known = languageOf(fields);
  return {
    ...decodingOf(fields),
    ...(known === undefined ? {} : { language: known }),
    ...(fields.response_format === 'diarized_json' ? { speakers: true } : {}),
  };
}

const isStreamed = ({ stream, response_format: format = 'json' }: TranscriptionFields): boolean =>
  stream === true && (format === 'json' || format === 'text');

async function read<S extends TObject>(form: Form<S>, transcriber: Transcriber, request: FastifyRequest) {
  const { fields, files, ignored } = await form.read(request, {
    maxBytes: request.caller().limits.syncUpload.bytes,
    store: ({ bytes }) => transcriber.storeUpload(bytes),
    discard: (upload) => upload.discard(),
    ignoresUnknown: ({ model }) => isForeignModel(model as string | undefined),
  });
  const noOps = WITHOUT_EFFECT.filter((name) => name in (fields as object));
  return { fields, upload: files.file as StoredUpload, ignored: [...noOps, ...ignored] };
}

const MOST_REPORTED = 20;

function setServedHeader(reply: FastifyReply, ignored: readonly string[]): void {
  reply.header('x-svc-model', HEAR_MODEL);
  if (ignored.length > 0) reply.header('x-svc-ignored', ignored.slice(0, MOST_REPORTED).join(', '));
}

/** Our own responses contain no detected language, so only a requested language is reported. */
function setExperimentalHeader(reply: FastifyReply, fields: TranscriptionFields): void {
  const language = languageOf(fields);
  if (language !== undefined && EXPERIMENTAL_LANGUAGES.includes(language))
    reply.header('x-svc-experimental-language', language);
}

async function transcribe(transcriber: Transcriber, request: FastifyRequest, reply: FastifyReply) {
  const { fields, upload, ignored } = await read(transcriptionForm, transcriber, request);
  let streaming = false;
  try {
    checkAnyModel(fields.model);
    const transcription = await transcriber.begin(request, upload.path, transcriptionOptionsOf(fields));
    setServedHeader(reply, ignored);
    setExperimentalHeader(reply, fields);
    if (isStreamed(fields)) {
      streaming = true;
      return streamTranscript(reply, transcription, () => upload.discard());
    }
    await transcription.whole();
    request.gone.throwIfAborted();
    await transcription.bill();
    return await showTranscript(reply, transcription, fields);
  } finally {
    if (!streaming) await upload.discard();
  }
}

async function translate(transcriber: Transcriber, request: FastifyRequest, reply: FastifyReply) {
  const { fields, upload, ignored } = await read(translationForm, transcriber, request);
  try {
    checkAnyModel(fields.model);
    const wishes: TranscriptionOptions = { ...decodingOf(fields), task: 'translate' };
    const transcription = await transcriber.begin(request, upload.path, wishes);
    setServedHeader(reply, ignored);
    await transcription.whole().catch(cannotTranslate);
    request.gone.throwIfAborted();
    await transcription.bill();
    return await showTranscript(reply, transcription, fields, 'translate');
  } finally {
    await upload.discard();
  }
}

/** Weights of a single language reject the task. */
function cannotTranslate(error: unknown): never {
  const cause = error instanceof ApiError ? error.cause : error;
  if (!(cause instanceof EngineError) || cause.status !== 'invalid_argument') throw error;
  const message = 'The recognition model of this server does not translate; use /v1/audio/transcriptions.';
  throw new ApiError('unsupported_model', message, { param: 'model', cause });
}
