import { stat } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Admission, Principal } from '../../access/contract.ts';
import { reachOf } from '../../access/index.ts';
import type { Billing } from '../../billing/contract.ts';
import { usageOf } from '../../billing/index.ts';
import { type AudioDecoder, keepUpload } from '../../codec/index.ts';
import { type Engine, RECORDING_RATE, transcribeRecording, type Word } from '../../engine/index.ts';
import { hear } from '../../media/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { defineForm } from '../../server/surface.ts';
import type { Storage } from '../../storage/index.ts';
import { segmentWords, type VocabularyStore } from '../../transcription/index.ts';
import { checkModel, HEAR_MODEL, readLanguage } from './recognition-fields.ts';

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

type Format = { readonly maxSeconds: number; readonly signal: AbortSignal } & Parameters<
  AudioDecoder['decode']
>[1];

const formatOf = (request: FastifyRequest): Format => ({
  sampleRate: RECORDING_RATE,
  channels: 'mix',
  sample: 's16',
  maxSeconds: request.caller().limits.syncUpload.seconds,
  signal: request.gone,
  turn: { tenant: request.caller().orgId, use: 'sync' },
});

const millisecondsOf = (samples: number): number => Math.round((samples * 1000) / RECORDING_RATE);

interface Held {
  readonly admission: Admission;
  readonly milliseconds: number;
}

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
    const milliseconds = await lengthOf(deps.decoder, upload.path, formatOf(request));
    const admission = await request.admit('hear.transcription', { realtime: true, milliseconds });
    const vocabulary = await deps.vocabulary.activeTerms(reachOf(caller), 'batch');
    const options = {
      vocabulary,
      ...(language === undefined ? {} : { language }),
      ...(fields.seed === undefined ? {} : { seed: fields.seed }),
      ...(fields.temperature === undefined ? {} : { temperature: fields.temperature }),
    };
    const result = await recognize(deps, upload.path, formatOf(request), options, {
      admission,
      milliseconds,
    });
    request.gone.throwIfAborted();
    await bill(deps, caller, request.id, admission.hold, result);
    return show(reply, fields.response_format ?? 'json', result);
  } finally {
    await upload.discard();
  }
}

async function recognize(
  deps: TranscriptionDeps,
  path: string,
  format: Format,
  options: Parameters<typeof transcribeRecording>[2],
  { admission, milliseconds }: Held,
): Promise<Recognized> {
  const decoding = await deps.decoder.decode({ path }, format);
  let held = milliseconds;
  const texts: string[] = [];
  const words: Word[] = [];
  let samples = 0;
  for await (const step of transcribeRecording(deps.engine, decoding.pcm, {
    ...options,
    signal: format.signal,
  })) {
    samples = step.doneSamples;
    const used = millisecondsOf(samples);
    // Its header declared less than there is.
    if (used > held) {
      await admission.recheck(used);
      held = used;
    }
    if (step.segment === null) continue;
    texts.push(step.segment.text);
    words.push(...step.segment.words);
  }
  return { text: texts.join(' '), words, samples };
}

/** Fewer bytes a second than speech is ever coded with. */
const LEAST_BYTES_PER_SECOND = 750;

/**
 * Milliseconds of sound: as its header declares, or as it is decoded. A file that is too long is refused before any of it
 * is recognized, which takes minutes; one so small that it cannot be too long is not decoded for that.
 */
async function lengthOf(decoder: AudioDecoder, path: string, format: Format): Promise<number> {
  const { size } = await stat(path);
  // Throws payload_too_large where the limit is passed.
  const { pcm, declaredSeconds } = await decoder.decode({ path }, format);
  const small = size <= format.maxSeconds * LEAST_BYTES_PER_SECOND;
  let bytes = 0;
  for await (const chunk of pcm) {
    bytes += chunk.length;
    if (small && declaredSeconds !== undefined) return Math.ceil(declaredSeconds * 1000);
  }
  return Math.ceil((bytes * 1000) / (RECORDING_RATE * 2));
}

/** Audio in which nobody spoke costs nothing. */
async function bill(
  deps: TranscriptionDeps,
  caller: Principal,
  requestId: string,
  hold: string | null,
  result: Recognized,
) {
  if (result.text === '') return;
  const id = newId('use');
  const milliseconds = millisecondsOf(result.samples);
  const event = usageOf(caller, {
    id,
    use: 'hear.transcription',
    milliseconds,
    resource: requestId,
    occurredAt: deps.clock.now(),
    hold,
  });
  await deps.storage.transaction((transaction) => deps.billing.record(transaction, event));
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
