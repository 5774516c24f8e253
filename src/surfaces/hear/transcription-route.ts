import { stat } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Principal } from '../../access/contract.ts';
import type { Billing } from '../../billing/contract.ts';
import type { AudioDecoder } from '../../codec/index.ts';
import { type Engine, RECORDING_RATE, transcribeRecording, type Word } from '../../engine/index.ts';
import { hear } from '../../media/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { defineForm } from '../../server/surface.ts';
import type { Storage } from '../../storage/index.ts';
import { checkModel, HEAR_MODEL, readLanguage } from './recognition-fields.ts';
import { segmentWords } from './segments.ts';
import { keepUpload } from './upload.ts';
import type { VocabularyStore } from './vocabulary-store.ts';

export interface TranscriptionDeps {
  readonly engine: Engine;
  readonly decoder: AudioDecoder;
  readonly billing: Billing;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly vocabulary: VocabularyStore;
  /** Folder for uploads while they are transcribed. */
  readonly temporary: string;
}

const IGNORED = 'Accepted for compatibility; has no effect';
const Fields = Type.Object({
  model: Type.Optional(Type.String({ description: HEAR_MODEL })),
  response_format: Type.Optional(Type.Enum(['json', 'text', 'verbose_json'], { default: 'json' })),
  language: Type.Optional(
    Type.String({ description: 'en, es, fr, de, hi, it, pt or nl; without it the language is found' }),
  ),
  seed: Type.Optional(Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  prompt: Type.Optional(Type.String({ description: IGNORED })),
  stream: Type.Optional(
    Type.Boolean({ description: `${IGNORED}: the answer is one document, never a stream of events` }),
  ),
  timestamp_granularities: Type.Optional(Type.Array(Type.String(), { description: IGNORED })),
  include: Type.Optional(Type.Array(Type.String(), { description: IGNORED })),
  chunking_strategy: Type.Optional(Type.Unknown({ description: IGNORED })),
});
type Fields = Static<typeof Fields>;

const form = defineForm(Fields, {
  file: { required: true, description: 'wav, mp3, m4a, flac or ogg; judged by its bytes, never by its name' },
});

const Json = Type.Object({ text: Type.String(), model: Type.String() });
const VerboseJson = Type.Object({
  ...Json.properties,
  duration: Type.Number({ description: 'Seconds of audio' }),
  segments: Type.Array(Type.Object({ start: Type.Number(), end: Type.Number(), text: Type.String() })),
  words: Type.Array(hear.WordShape),
});

interface Recognized {
  readonly text: string;
  readonly words: readonly Word[];
  readonly samples: number;
}

export function transcriptionRoute(app: FastifyInstance, deps: TranscriptionDeps): void {
  app.post('/v1/audio/transcriptions', {
    config: {
      access: { kind: 'key', scope: 'hear:transcribe' },
      form: form.schema,
      errors: ['unsupported_language', 'unsupported_model', 'invalid_audio', 'payload_too_large', 'capacity'],
    },
    schema: {
      summary: 'Transcribe a recording',
      description:
        'Audio without speech answers an empty text and costs nothing. With `language` the recognition is pinned to it; `hi` is written in Devanagari.',
      tags: ['Hear'],
      response: { 200: Type.Union([VerboseJson, Json]) },
    },
    handler: (request, reply) => transcribe(deps, request, reply),
  });
}

async function transcribe(deps: TranscriptionDeps, request: FastifyRequest, reply: FastifyReply) {
  const caller = request.caller();
  const { fields, files } = await form.read(request, {
    maxBytes: caller.limits.syncUpload.bytes,
    store: ({ bytes }) => keepUpload(bytes, deps.temporary),
    discard: (upload) => upload.discard(),
  });
  const upload = files.file!;
  try {
    checkModel(fields.model);
    const language = readLanguage(fields.language);
    await request.admit('hear');
    const vocabulary = await deps.vocabulary.activeTerms(caller.orgId, 'batch');
    const options = {
      vocabulary,
      ...(language === undefined ? {} : { language }),
      ...(fields.seed === undefined ? {} : { seed: fields.seed }),
      ...(fields.temperature === undefined ? {} : { temperature: fields.temperature }),
    };
    const result = await recognize(
      deps,
      upload.path,
      caller.limits.syncUpload.seconds,
      options,
      request.gone,
    );
    request.gone.throwIfAborted();
    await bill(deps, caller, request.id, result);
    return show(reply, fields.response_format ?? 'json', result);
  } finally {
    await upload.discard();
  }
}

async function recognize(
  deps: TranscriptionDeps,
  path: string,
  maxSeconds: number,
  options: Parameters<typeof transcribeRecording>[2],
  signal: AbortSignal,
): Promise<Recognized> {
  const format = { sampleRate: RECORDING_RATE, channels: 'mix', sample: 's16', maxSeconds, signal } as const;
  await refuseTooLong(deps.decoder, path, format);
  const decoding = await deps.decoder.decode({ path }, format);
  const texts: string[] = [];
  const words: Word[] = [];
  let samples = 0;
  for await (const step of transcribeRecording(deps.engine, decoding.pcm, { ...options, signal })) {
    samples = step.doneSamples;
    if (step.segment === null) continue;
    texts.push(step.segment.text);
    words.push(...step.segment.words);
  }
  return { text: texts.join(' '), words, samples };
}

/** Fewer bytes a second than speech is ever coded with. */
const LEAST_BYTES_PER_SECOND = 750;

/**
 * A file that is too long is refused before any of it is recognized, which takes minutes: it is decoded once to see how
 * long it is. One so small that it cannot be too long is not; should it be, by some trick, its end is refused.
 */
async function refuseTooLong(
  decoder: AudioDecoder,
  path: string,
  format: Parameters<AudioDecoder['decode']>[1],
): Promise<void> {
  const { size } = await stat(path);
  if (size <= format.maxSeconds * LEAST_BYTES_PER_SECOND) return;
  const { pcm } = await decoder.decode({ path }, format);
  // Throws payload_too_large where the limit is passed.
  for await (const _ of pcm);
}

/** Audio in which nobody spoke costs nothing. */
async function bill(deps: TranscriptionDeps, caller: Principal, requestId: string, result: Recognized) {
  if (result.text === '') return;
  const id = newId('use');
  const milliseconds = Math.round((result.samples * 1000) / RECORDING_RATE);
  await deps.storage.transaction((transaction) =>
    deps.billing.record(transaction, {
      id,
      meter: 'hear',
      orgId: caller.orgId,
      projectId: caller.projectId,
      keyId: caller.keyId,
      environment: caller.environment,
      milliseconds,
      count: 0,
      resource: requestId,
      occurredAt: deps.clock.now(),
    }),
  );
}

function show(reply: FastifyReply, format: NonNullable<Fields['response_format']>, result: Recognized) {
  if (format === 'text') {
    reply.type('text/plain; charset=utf-8').serializer((text: unknown) => text as string);
    return result.text;
  }
  const brief = { text: result.text, model: HEAR_MODEL };
  if (format === 'json') return brief;
  const duration = Math.round((result.samples * 1000) / RECORDING_RATE) / 1000;
  return { ...brief, duration, segments: segmentWords(result.words), words: result.words };
}
