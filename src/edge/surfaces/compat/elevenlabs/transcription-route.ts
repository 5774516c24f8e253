import { createReadStream } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import { HEAR_LANGUAGES, type HearLanguage } from '../../../../media/engine/index.ts';
import { defineForm } from '../../../server/surface.ts';
import type { RecordingTranscriber } from '../deepgram/prerecorded-route.ts';
import { withHeader } from '../deepgram/recording-bytes.ts';
import type { Sentence } from '../deepgram/transcript.ts';

const Fields = Type.Object({
  model_id: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'An ElevenLabs model name. All names are served by the same model.',
    }),
  ),
  language_code: Type.Optional(
    Type.String({
      maxLength: 16,
      description: 'A language code such as `en` or `eng`. If omitted, the language is detected.',
    }),
  ),
  diarize: Type.Optional(Type.Boolean({ default: false })),
  timestamps_granularity: Type.Optional(
    Type.String({
      maxLength: 16,
      description: '`none` omits timestamps; other values return timestamps per word.',
    }),
  ),
  file_format: Type.Optional(
    Type.Enum(['other', 'pcm_s16le_16'], {
      default: 'other',
      description: '`pcm_s16le_16` for raw PCM16 at 16 kHz, `other` for an audio file.',
    }),
  ),
});

const form = defineForm(Fields, { file: { required: true, description: 'The recording.' } });

const SpokenWord = Type.Object({
  text: Type.String(),
  start: Type.Optional(Type.Number()),
  end: Type.Optional(Type.Number()),
  type: Type.Enum(['word', 'spacing']),
  speaker_id: Type.Optional(Type.String()),
  logprob: Type.Number({ description: 'Always 0: this value is not measured.' }),
});
type SpokenWord = Static<typeof SpokenWord>;

const Response = Type.Object({
  language_code: Type.String({ description: 'Three-letter language code.' }),
  language_probability: Type.Number({ description: 'Always 0: this value is not measured.' }),
  text: Type.String(),
  words: Type.Array(SpokenWord),
  transcription_id: Type.String(),
  audio_duration_secs: Type.Number(),
});

const HEADERS = {
  'x-svc-model': {
    description: 'The model that served the request.',
    schema: { type: 'string' },
    example: 'svc-hear',
  },
  'x-svc-ignored': {
    description: 'Fields of the request that had no effect.',
    schema: { type: 'string' },
    example: 'tag_audio_events',
  },
};

export function transcriptionRoute(app: FastifyInstance, transcriber: RecordingTranscriber): void {
  app.post('/elevenlabs/v1/speech-to-text', {
    config: {
      access: { kind: 'key', scope: 'hear:transcribe' },
      vendor: 'elevenlabs',
      meters: true,
      form: form.schema,
      errors: ['unsupported_language', 'invalid_audio', 'payload_too_large'],
    },
    schema: {
      summary: 'Transcribe a recording, in ElevenLabs’ format',
      tags: ['ElevenLabs clients'],
      operationId: 'elevenlabs_speech_to_text',
      querystring: Type.Object(
        {
          enable_logging: Type.Optional(
            Type.Unsafe<unknown>({ description: 'Accepted for compatibility; has no effect.' }),
          ),
        },
        { additionalProperties: true },
      ),
      response: {
        200: {
          description: 'The transcript.',
          headers: HEADERS,
          content: { 'application/json': { schema: Response } },
        },
      },
    },
    handler: (request, reply) => transcribe(transcriber, request, reply),
  });
}

const RAW = { encoding: 'linear16', rate: 16_000, channels: 1 } as const;

async function transcribe(transcriber: RecordingTranscriber, request: FastifyRequest, reply: FastifyReply) {
  const { fields, files, ignored } = await form.read(request, {
    maxBytes: request.caller().limits.syncUpload.bytes,
    store: ({ bytes }) => transcriber.storeUpload(bytes),
    discard: (upload) => upload.discard(),
    ignoresUnknown: () => true,
    // Vercel's AI SDK sends `diarize` twice.
    lastWins: true,
  });
  const upload = files.file!;
  let recording = upload;
  try {
    if (fields.file_format === 'pcm_s16le_16')
      recording = await transcriber.storeUpload(withHeader(createReadStream(upload.path), RAW, false));
    const language = readLanguage(fields.language_code);
    const transcription = await transcriber.begin(request, recording.path, {
      speakers: fields.diarize === true,
      ...(language === null ? {} : { language }),
    });
    await transcription.whole();
    const sentences = await transcription.sentences();
    request.gone.throwIfAborted();
    await transcription.bill();
    reply.header('x-svc-model', 'svc-hear');
    if (ignored.length > 0) reply.header('x-svc-ignored', ignored.slice(0, 20).join(', '));
    return {
      language_code: THREE_LETTERS[transcription.language ?? language ?? 'en'] ?? 'eng',
      language_probability: 0,
      text: sentences.map(({ text }) => text.trim()).join(' '),
      words: wordsOf(sentences, fields.timestamps_granularity !== 'none'),
      transcription_id: request.id,
      audio_duration_secs: transcription.duration,
    };
  } finally {
    await upload.discard();
    if (recording !== upload) await recording.discard();
  }
}

const THREE_LETTERS: Readonly<Record<string, string>> = {
  en: 'eng',
  es: 'spa',
  fr: 'fra',
  de: 'deu',
  hi: 'hin',
  it: 'ita',
  pt: 'por',
  nl: 'nld',
};

export function readLanguage(said: string | undefined): HearLanguage | null {
  if (said === undefined || said === '' || said === 'auto') return null;
  const code = said.split(/[-_]/)[0]!.toLowerCase();
  const known = HEAR_LANGUAGES.find((one) => one === code || THREE_LETTERS[one] === code);
  if (known) return known;
  throw new ApiError('unsupported_language', `language_code must be one of ${HEAR_LANGUAGES.join(', ')}.`, {
    param: 'language_code',
  });
}

function wordsOf(sentences: readonly Sentence[], timed: boolean): SpokenWord[] {
  const words: SpokenWord[] = [];
  let before = 0;
  for (const { words: spoken, speaker } of sentences) {
    const by = speaker === null ? {} : { speaker_id: `speaker_${Number(speaker.replace(/\D+/g, '')) - 1}` };
    for (const { word, start, end } of spoken) {
      const times = (from: number, to: number) => (timed ? { start: from, end: to } : {});
      if (words.length > 0)
        words.push({ text: ' ', type: 'spacing', logprob: 0, ...times(before, start), ...by });
      words.push({ text: word, type: 'word', logprob: 0, ...times(start, end), ...by });
      before = end;
    }
  }
  return words;
}
