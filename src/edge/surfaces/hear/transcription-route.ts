/** POST /v1/audio/transcriptions. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkModel, readLanguage } from './recognition-fields.ts';
import type { Transcriber, Wishes } from './transcriber.ts';
import { showTranscript, streamTranscript, TRANSCRIPT_ANSWER } from './transcript-answer.ts';
import { type TranscriptionFields, transcriptionForm } from './transcription-fields.ts';

export function transcriptionRoute(app: FastifyInstance, transcriber: Transcriber): void {
  app.post('/v1/audio/transcriptions', {
    config: {
      access: { kind: 'key', scope: 'hear:transcribe' },
      form: transcriptionForm.schema,
      meters: true,
      errors: ['unsupported_language', 'unsupported_model', 'invalid_audio'],
    },
    schema: {
      summary: 'Transcribe a recording',
      description:
        'Audio without speech answers an empty text and costs nothing. With `language` the recognition is pinned to it; `hi` is written in Devanagari.',
      tags: ['Hear'],
      response: { 200: TRANSCRIPT_ANSWER },
    },
    handler: (request, reply) => transcribe(transcriber, request, reply),
  });
}

const wishesOf = ({ language, seed, temperature }: TranscriptionFields): Wishes => {
  const known = readLanguage(language);
  return {
    ...(known === undefined ? {} : { language: known }),
    ...(seed === undefined ? {} : { seed }),
    ...(temperature === undefined ? {} : { temperature }),
  };
};

const isStreamed = ({ stream, response_format: format = 'json' }: TranscriptionFields): boolean =>
  stream === true && (format === 'json' || format === 'text');

async function transcribe(transcriber: Transcriber, request: FastifyRequest, reply: FastifyReply) {
  const { fields, files } = await transcriptionForm.read(request, {
    maxBytes: request.caller().limits.syncUpload.bytes,
    store: ({ bytes }) => transcriber.keep(bytes),
    discard: (upload) => upload.discard(),
  });
  const upload = files.file!;
  let streaming = false;
  try {
    checkModel(fields.model);
    const transcription = await transcriber.begin(request, upload.path, wishesOf(fields));
    if (isStreamed(fields)) {
      streaming = true;
      return streamTranscript(reply, transcription, () => upload.discard());
    }
    await transcription.whole();
    request.gone.throwIfAborted();
    await transcription.bill();
    return showTranscript(reply, transcription, fields);
  } finally {
    if (!streaming) await upload.discard();
  }
}
