import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { isForeignModel, servesAs } from '../../../foundation/platform/model-names.ts';
import { printableFieldName } from '../../server/surface.ts';
import { SpeechAudio, SpeechBody } from './schemas.ts';
import type { SpeechService } from './speech-service.ts';

export const SPEECH_ERRORS = [
  'input_too_long',
  'unsupported_emotion',
  'voice_not_found',
  'voice_retired',
] as const;

export function speechRoute(app: FastifyInstance, speaker: SpeechService): void {
  app.post<{ Body: SpeechBody }>('/v1/audio/speech', {
    config: {
      access: { kind: 'key', scope: 'speak:synthesize' },
      meters: true,
      errors: [...SPEECH_ERRORS, 'unsupported_model'],
    },
    schema: {
      summary: 'Synthesize speech',
      description:
        'Returns the raw audio. `g711_*` is headerless 8-bit, 8 kHz, mono; `pcm` is signed 16-bit little-endian, mono. The headers report the voice (`x-svc-voice`), the sample rate (`x-svc-sample-rate`), the length of the input (`x-svc-characters`) and how a streaming request was served (`x-svc-stream`). Only audio that was sent is billed.',
      tags: ['Speak'],
      body: SpeechBody,
      response: { 200: SpeechAudio },
    },
    preValidation: async (request, reply) => leaveOutUnknown(request.body, reply),
    handler: (request, reply) => speak(speaker, request, reply),
  });
}

const MOST_REPORTED = 20;
const IGNORED = 'x-svc-ignored';

function setIgnoredHeader(reply: FastifyReply, names: readonly string[]): void {
  const before = reply.getHeader(IGNORED);
  reply.header(
    IGNORED,
    [...(before === undefined ? [] : [before]), ...names.slice(0, MOST_REPORTED)].join(', '),
  );
}

/** Clients of other vendors send fields of their own together with their model's name. */
function leaveOutUnknown(body: unknown, reply: FastifyReply): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  const fields = body as Record<string, unknown>;
  if (typeof fields.model !== 'string' || !isForeignModel(fields.model)) return;
  const unknown = Object.keys(fields).filter((name) => !Object.hasOwn(SpeechBody.properties, name));
  for (const name of unknown) delete fields[name];
  if (unknown.length > 0) setIgnoredHeader(reply, unknown.map(printableFieldName));
}

function checkModel({ model }: SpeechBody): void {
  if (!model || servesAs('svc-speak', model)) return;
  throw new ApiError(
    'unsupported_model',
    `The model '${model.slice(0, 64)}' does not synthesize speech; use 'svc-speak'.`,
    {
      param: 'model',
    },
  );
}

async function speak(
  speaker: SpeechService,
  request: FastifyRequest<{ Body: SpeechBody }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { body } = request;
  checkModel(body);
  const answer = await speaker.begin(request, reply, {
    text: body.input,
    voice: typeof body.voice === 'object' ? body.voice.id : body.voice,
    format: body.response_format,
    sampleRate: body.sample_rate,
    emotion: body.emotion,
    speed: body.speed,
  });
  reply.header('x-svc-model', 'svc-speak');
  if (body.instructions !== undefined) setIgnoredHeader(reply, ['instructions']);
  if (body.stream_format === 'sse') {
    reply.header('x-svc-stream', answer.served).type('text/event-stream; charset=utf-8');
    return reply.send(Readable.from(events(answer.stream()), { objectMode: false, highWaterMark: 1 }));
  }
  reply.type(answer.wire.contentType);
  if (body.stream === false) return reply.send(await answer.whole());
  return reply.header('x-svc-stream', answer.served).send(answer.stream());
}

const eventOf = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

async function* events(audio: Readable): AsyncGenerator<string, void> {
  for await (const bytes of audio) {
    yield eventOf({ type: 'speech.audio.delta', audio: (bytes as Buffer).toString('base64') });
  }
  yield eventOf({
    type: 'speech.audio.done',
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  });
}
