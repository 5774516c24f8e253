import Type from 'typebox';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import type { SocketMessage, SocketRequest, SocketRoute } from '../../../server/surface.ts';
import type { SpeechLineDeps } from '../speech-line.ts';
import { elevenLabsVoice } from '../stock-voices.ts';
import { ElevenLabsInputSession } from './input-session.ts';
import { FORMATS, type FormatName } from './schemas.ts';

const MAX_FRAME_BYTES = 64 * 1024;
/** The mp3 encoder uses 64 kbit/s. */
const MP3_BYTES_PER_MS = 8;

const Alignment = Type.Object({
  chars: Type.Array(Type.String()),
  charStartTimesMs: Type.Array(Type.Integer({ description: 'From the beginning of this audio, estimated' })),
  charDurationsMs: Type.Array(Type.Integer()),
});
const Final = Type.Object({ isFinal: Type.Literal(true), contextId: Type.Optional(Type.String()) });
const open = { additionalProperties: true } as const;
const input = {
  text: Type.Optional(Type.String()),
  flush: Type.Optional(Type.Boolean()),
  voice_settings: Type.Optional(Type.Object({ speed: Type.Optional(Type.Number()) }, open)),
};

const SERVER: readonly SocketMessage[] = [
  {
    name: 'audio',
    summary: 'Sound of a sentence, and its characters',
    schema: Type.Object({
      audio: Type.String({ description: 'Base64' }),
      isFinal: Type.Null(),
      alignment: Alignment,
      normalizedAlignment: Alignment,
      contextId: Type.Optional(Type.String()),
    }),
  },
  { name: 'final', summary: 'All of it was sent', schema: Final },
  {
    name: 'error',
    summary: 'What went wrong, before the close',
    schema: Type.Object({ message: Type.String(), error: Type.String(), code: Type.Integer() }),
  },
];

const query = Type.Object({
  output_format: Type.Optional(
    Type.String({ description: '`mp3_…`, `pcm_…`, `ulaw_8000` or `alaw_8000`', default: 'mp3_44100_128' }),
  ),
  model_id: Type.Optional(
    Type.String({ description: 'Any name of ElevenLabs’; one model answers them all' }),
  ),
});

const route = (
  deps: SpeechLineDeps,
  name: 'stream-input' | 'multi-stream-input',
  client: readonly SocketMessage[],
  summary: string,
): SocketRoute => ({
  path: `/elevenlabs/v1/text-to-speech/:voice_id/${name}`,
  access: { kind: 'key', scope: 'speak:synthesize' },
  vendor: 'elevenlabs',
  maxFrameBytes: MAX_FRAME_BYTES,
  messages: { title: `ElevenLabs’ ${name}`, summary, query, client, server: SERVER },
  accept: (request) => {
    const settings = { ...settingsOf(request), multi: name === 'multi-stream-input' };
    return { open: (socket) => new ElevenLabsInputSession(deps, request.principal!, socket, settings) };
  },
});

export const inputSockets = (deps: SpeechLineDeps): SocketRoute[] => [
  route(
    deps,
    'stream-input',
    [
      {
        name: 'text',
        summary: 'More text; an empty one is the last. Whole sentences are spoken at once',
        schema: Type.Object(input, open),
      },
    ],
    'Text that is spoken while it is written.',
  ),
  route(
    deps,
    'multi-stream-input',
    [
      {
        name: 'text',
        summary: 'More text of a context; an empty one keeps it open',
        schema: Type.Object(
          {
            ...input,
            context_id: Type.Optional(Type.String({ default: 'default' })),
            close_context: Type.Optional(Type.Boolean({ description: 'Speaks what it has, then `isFinal`' })),
            close_socket: Type.Optional(Type.Boolean({ description: 'As close_context of all, then 1000' })),
          },
          open,
        ),
      },
    ],
    'Up to ten texts at once, each under its context_id.',
  ),
];

function settingsOf({ path, query: said }: SocketRequest) {
  const voice = decodeURIComponent(path.split('/').at(-2) ?? '');
  const name = said.get('output_format') ?? 'mp3_44100_128';
  const chosen = Object.hasOwn(FORMATS, name) ? FORMATS[name as FormatName] : undefined;
  if (chosen === undefined || chosen.format === 'wav' || chosen.format === 'opus') {
    const message = 'output_format is mp3_…, pcm_…, ulaw_8000 or alaw_8000 of ElevenLabs’ names.';
    throw new ApiError('invalid_request', message, { param: 'output_format' });
  }
  const { sampleRate }: { readonly format: string; readonly sampleRate?: number } = chosen;
  return {
    order: {
      voice: elevenLabsVoice(voice),
      format: chosen.format,
      anyRate: true,
      ...(sampleRate === undefined ? {} : { sampleRate }),
    },
    bytesPerMs: bytesPerMs(chosen.format, sampleRate ?? 24_000),
  };
}

function bytesPerMs(format: 'mp3' | 'pcm' | 'g711_ulaw' | 'g711_alaw', rate: number): number {
  if (format === 'pcm') return (rate * 2) / 1000;
  return MP3_BYTES_PER_MS;
}
