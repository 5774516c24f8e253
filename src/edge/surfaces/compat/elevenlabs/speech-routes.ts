import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import { Mp3Encoder, wavHeader } from '../../../../media/codec/index.ts';
import { convertAudio } from '../../../../media/engine/index.ts';
import { estimatedMs } from '../../../../speech/voices/index.ts';
import { elevenLabsVoice } from '../stock-voices.ts';
import { align } from './alignment.ts';
import type { ElevenLabsDeps } from './index.ts';
import { type CharacterTimes, RunningAlignment } from './running-alignment.ts';
import {
  bytesPerMs,
  FORMATS,
  type FormatName,
  SpeechBody,
  SpeechParams,
  SpeechQuery,
  Timestamped,
} from './schemas.ts';

type Format = 'mp3' | 'pcm' | 'wav' | 'opus' | 'g711_ulaw' | 'g711_alaw';

interface SpokenResponse {
  readonly wire: { readonly contentType: string };
  whole(): Promise<Buffer>;
  stream(): Readable;
}

export interface SpeechSource {
  begin(
    request: FastifyRequest,
    reply: FastifyReply,
    order: {
      text: string;
      voice?: string;
      format?: Format;
      sampleRate?: number | undefined;
      speed?: number | undefined;
      anyRate?: boolean;
    },
  ): Promise<SpokenResponse>;
}

type Request = FastifyRequest<{ Params: { voice_id: string }; Querystring: SpeechQuery; Body: SpeechBody }>;

const config = {
  access: { kind: 'key', scope: 'speak:synthesize' },
  vendor: 'elevenlabs',
  meters: true,
  errors: ['input_too_long', 'voice_not_found', 'voice_retired'],
} as const;
const tags = ['ElevenLabs clients'];
const common = { tags, params: SpeechParams, querystring: SpeechQuery, body: SpeechBody };

const bytes = { schema: { type: 'string', format: 'binary' } };
const header = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
});
const headers = {
  'x-svc-voice': header('The canonical ID of the voice that was used.', 'heart_en_us'),
  'x-svc-sample-rate': header('The sample rate in Hz.', '24000'),
  'x-svc-characters': header('The length of the text in Unicode code points.', '42'),
  'x-svc-speed': header('The speed that was used.', '1.3'),
};
const AUDIO = {
  description: 'The audio.',
  headers,
  content: {
    'audio/mpeg': bytes,
    'audio/pcm': bytes,
    'audio/basic': bytes,
    'audio/ogg': bytes,
    'audio/wav': bytes,
  },
};

export function speechRoutes(app: FastifyInstance, deps: ElevenLabsDeps): void {
  app.post('/elevenlabs/v1/text-to-speech/:voice_id', {
    config,
    schema: {
      ...common,
      summary: 'Synthesize speech, in ElevenLabs’ format',
      operationId: 'elevenlabs_speech',
      response: { 200: AUDIO },
    },
    handler: async (request: Request, reply) => {
      const spoken = await beginSpeech(deps, request, reply, FORMATS[formatOf(request)]);
      return reply.type(spoken.wire.contentType).send(await spoken.whole());
    },
  });
  app.post('/elevenlabs/v1/text-to-speech/:voice_id/stream', {
    config,
    schema: {
      ...common,
      summary: 'Stream synthesized speech, in ElevenLabs’ format',
      operationId: 'elevenlabs_speech_stream',
      response: { 200: AUDIO },
    },
    handler: async (request: Request, reply) => {
      const spoken = await beginSpeech(deps, request, reply, FORMATS[formatOf(request)]);
      return reply.type(spoken.wire.contentType).send(spoken.stream());
    },
  });
  timedRoutes(app, deps);
}

function timedRoutes(app: FastifyInstance, deps: ElevenLabsDeps): void {
  const noOpus = 'Opus is not available with timings.';
  app.post('/elevenlabs/v1/text-to-speech/:voice_id/with-timestamps', {
    config,
    schema: {
      ...common,
      summary: 'Synthesize speech with character timings, in ElevenLabs’ format',
      description: `Timings are recognized from the synthesized speech; the characters of a word share its duration evenly. ${noOpus}`,
      operationId: 'elevenlabs_speech_timed',
      response: {
        200: { description: 'The audio.', headers, content: { 'application/json': { schema: Timestamped } } },
      },
    },
    handler: (request: Request, reply) => timedSpeech(deps, request, reply),
  });
  app.post('/elevenlabs/v1/text-to-speech/:voice_id/stream/with-timestamps', {
    config,
    schema: {
      ...common,
      summary: 'Stream synthesized speech with character timings, in ElevenLabs’ format',
      description: `Each line is JSON with a piece of the audio and the characters that are spoken in it. Timings are estimated from the length of the text. ${noOpus}`,
      operationId: 'elevenlabs_speech_timed_stream',
      response: {
        200: {
          description: 'The audio.',
          headers,
          content: { 'application/x-ndjson': { schema: { type: 'string' } } },
        },
      },
    },
    handler: async (request: Request, reply) => {
      const format = timedFormatOf(request);
      const spoken = await beginSpeech(deps, request, reply, format);
      const lines = timedLines(spoken.stream(), request.body, format);
      return reply.type('application/x-ndjson').send(Readable.from(lines, { objectMode: false }));
    },
  });
}

const formatOf = ({ query }: Request): FormatName => query.output_format ?? 'mp3_44100_128';

function beginSpeech(
  { speechService }: ElevenLabsDeps,
  request: Request,
  reply: FastifyReply,
  as: { readonly format: Format; readonly sampleRate?: number },
): Promise<SpokenResponse> {
  const { text, voice_settings: settings } = request.body;
  return speechService.begin(request, reply, {
    text,
    voice: elevenLabsVoice(request.params.voice_id),
    format: as.format,
    sampleRate: as.sampleRate,
    anyRate: true,
    speed: settings?.speed ?? undefined,
  });
}

const NATIVE_RATE = 24_000;

interface TimedFormat {
  readonly format: Exclude<Format, 'opus'>;
  readonly sampleRate?: number;
}

function timedFormatOf(request: Request): TimedFormat {
  const format = FORMATS[formatOf(request)];
  if (format.format !== 'opus') return format;
  const message = 'output_format must not be an Opus format on the routes with timestamps.';
  throw new ApiError('invalid_request', message, { param: 'output_format' });
}

/** Keeps a line below 64 KiB, the longest that readers of lines take by default, and its samples whole. */
const LINE_MS = 200;

async function* timedLines(
  audio: Readable,
  { text, voice_settings: settings }: SpeechBody,
  { format, sampleRate = NATIVE_RATE }: TimedFormat,
): AsyncGenerator<string> {
  const msBytes = bytesPerMs(format, sampleRate);
  const lineBytes = Math.round(msBytes * LINE_MS);
  const alignment = new RunningAlignment(text, estimatedMs(text, settings?.speed ?? 1));
  let beginMs = 0;
  for await (const bytes of audio as AsyncIterable<Buffer>) {
    for (let at = 0; at < bytes.length; at += lineBytes) {
      const piece = bytes.subarray(at, at + lineBytes);
      const ms = piece.length / msBytes;
      yield timedLine(piece, alignment.next(ms), beginMs);
      beginMs += ms;
    }
  }
  const rest = alignment.rest();
  if (rest !== null) yield timedLine(Buffer.alloc(0), rest, beginMs);
}

function timedLine(audio: Buffer, times: CharacterTimes, beginMs: number): string {
  const starts = times.charStartTimesMs.map((ms) => beginMs + ms);
  const ends = starts.map((ms, index) => ms + times.charDurationsMs[index]!);
  const seconds = (ms: number) => Math.round(ms) / 1000;
  const alignment = times.chars.length > 0 && {
    characters: times.chars,
    character_start_times_seconds: starts.map(seconds),
    character_end_times_seconds: ends.map(seconds),
  };
  const line = { audio_base64: audio.toString('base64'), alignment: alignment || null };
  return `${JSON.stringify({ ...line, normalized_alignment: line.alignment })}\n`;
}

async function timedSpeech(deps: ElevenLabsDeps, request: Request, reply: FastifyReply) {
  const { format, sampleRate } = timedFormatOf(request);
  const rate = format.startsWith('g711') ? 8000 : (sampleRate ?? NATIVE_RATE);
  const spoken = await beginSpeech(deps, request, reply, { format: 'pcm', sampleRate: rate });
  const pcm = await spoken.whole();
  const alignment = await align(deps.engine, { pcm, rate }, request.body.text, request.gone);
  const audio = await encoded(pcm, rate, format);
  return { audio_base64: audio.toString('base64'), alignment, normalized_alignment: alignment };
}

async function encoded(pcm: Buffer, sampleRate: number, format: Format): Promise<Buffer> {
  if (format === 'pcm') return pcm;
  if (format === 'g711_ulaw') return convertAudio('pcm16', pcm, 'pcmu');
  if (format === 'g711_alaw') return convertAudio('pcm16', pcm, 'pcma');
  if (format === 'wav')
    return Buffer.concat([wavHeader({ sampleRate, channels: 1, sample: 's16' }, pcm.length), pcm]);
  const encoder = await Mp3Encoder.create({ sampleRate: NATIVE_RATE, kilobits: 64 });
  return Buffer.concat([encoder.encode(pcm), encoder.finish()]);
}
