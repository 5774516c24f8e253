import Type from 'typebox';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import type { SocketMessage, SocketRequest, SocketRoute } from '../../../server/surface.ts';
import type { SpeechLineDeps } from '../speech-line.ts';
import { elevenLabsVoice } from '../stock-voices.ts';
import { ElevenLabsInputSession } from './input-session.ts';
import { bytesPerMs, FORMATS, type FormatName } from './schemas.ts';

const MAX_FRAME_BYTES = 64 * 1024;

const Alignment = Type.Object({
  chars: Type.Array(Type.String()),
  charStartTimesMs: Type.Array(
    Type.Integer({ description: 'Milliseconds from the start of this audio, estimated.' }),
  ),
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
    summary: 'The audio of one sentence, with character timings',
    schema: Type.Object({
      audio: Type.String({ description: 'Base64-encoded audio.' }),
      isFinal: Type.Null(),
      alignment: Alignment,
      normalizedAlignment: Alignment,
      contextId: Type.Optional(Type.String()),
    }),
  },
  { name: 'final', summary: 'Sent when all audio was sent', schema: Final },
  {
    name: 'error',
    summary: 'Sent when an error occurs, before the connection closes',
    schema: Type.Object({ message: Type.String(), error: Type.String(), code: Type.Integer() }),
  },
];

const query = Type.Object({
  output_format: Type.Optional(
    Type.String({
      description: 'The output format: `mp3_…`, `pcm_…`, `ulaw_8000` or `alaw_8000`.',
      default: 'mp3_44100_128',
    }),
  ),
  model_id: Type.Optional(
    Type.String({ description: 'An ElevenLabs model name. All names are served by the same model.' }),
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
        summary: 'Append text; an empty string ends the input. Complete sentences are spoken immediately',
        schema: Type.Object(input, open),
      },
    ],
    'Streaming speech synthesis from incremental text.',
  ),
  route(
    deps,
    'multi-stream-input',
    [
      {
        name: 'text',
        summary: 'Append text to a context; an empty string keeps the context open',
        schema: Type.Object(
          {
            ...input,
            context_id: Type.Optional(Type.String({ default: 'default' })),
            close_context: Type.Optional(
              Type.Boolean({
                description: 'Synthesizes the remaining text of the context, then sends `isFinal`.',
              }),
            ),
            close_socket: Type.Optional(
              Type.Boolean({
                description:
                  'Closes all contexts as `close_context` does, then closes the connection with 1000.',
              }),
            ),
          },
          open,
        ),
      },
    ],
    'Streaming speech synthesis with up to ten concurrent contexts, each with its own context_id.',
  ),
];

function settingsOf({ path, query: said }: SocketRequest) {
  const voice = decodeURIComponent(path.split('/').at(-2) ?? '');
  const name = said.get('output_format') ?? 'mp3_44100_128';
  const chosen = Object.hasOwn(FORMATS, name) ? FORMATS[name as FormatName] : undefined;
  if (chosen === undefined || chosen.format === 'wav' || chosen.format === 'opus') {
    const message = 'output_format must be an mp3_… or pcm_… format of ElevenLabs, ulaw_8000 or alaw_8000.';
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
