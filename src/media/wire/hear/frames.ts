/** Frames of the streaming recognition socket are binary for PCM16 and JSON with a `type` for everything else. */
import Type, { type Static } from 'typebox';

/** The limit is two seconds of PCM16 at 48 kHz, more than a live speaker sends at once. */
export const MAX_FRAME_BYTES = 192_000;
const MAX_CONTROL_BYTES = 4096;

export class HearFrameError extends Error {
  readonly code: 'invalid_request' | 'invalid_audio' | 'grounding_unavailable';
  readonly param: string | null;
  readonly fatal: boolean;

  constructor(code: HearFrameError['code'], message: string, options: { fatal: boolean; param?: string }) {
    super(message);
    this.name = 'HearFrameError';
    this.code = code;
    this.param = options.param ?? null;
    this.fatal = options.fatal;
  }
}

const strict = { additionalProperties: false } as const;
export const CommitMessage = Type.Object({ type: Type.Literal('commit') }, strict);
export const KeepaliveMessage = Type.Object({ type: Type.Literal('keepalive') }, strict);
export const CloseMessage = Type.Object({ type: Type.Literal('close') }, strict);
export const EndMessage = Type.Object({ type: Type.Literal('end') }, { description: 'Ignored.' });
export const ConfigMessage = Type.Object({ type: Type.Literal('config'), grounding: Type.Literal(true) });

export type ClientFrame =
  | { readonly kind: 'audio'; readonly pcm: Uint8Array }
  | { readonly kind: 'commit' | 'keepalive' | 'close' | 'end' };

const KINDS = ['commit', 'keepalive', 'close', 'end'] as const;
const text = new TextDecoder('utf-8', { fatal: true });

export function readClientFrame(data: Uint8Array, isBinary: boolean): ClientFrame {
  if (isBinary) {
    if (data.length % 2 === 0) return { kind: 'audio', pcm: data };
    const message = `An audio frame must contain whole 16-bit samples; ${data.length} bytes is an odd length.`;
    throw new HearFrameError('invalid_audio', message, { fatal: true });
  }
  const message = parse(data);
  const kind = KINDS.find((known) => known === message.type);
  if (kind) {
    if (kind !== 'end') refuseUnknown(message);
    return { kind };
  }
  if (message.type === 'config' && message.grounding === true) {
    throw new HearFrameError('grounding_unavailable', 'Grounding is not available on this stream.', {
      fatal: false,
    });
  }
  throw new HearFrameError('invalid_request', `type must be one of ${KINDS.join(', ')}.`, {
    fatal: false,
    param: 'type',
  });
}

function refuseUnknown(message: object): void {
  const unknown = Object.keys(message).find((key) => key !== 'type');
  if (unknown === undefined) return;
  throw new HearFrameError('invalid_request', `${JSON.stringify(unknown)} is not a field of this frame.`, {
    fatal: false,
    param: unknown,
  });
}

function parse(data: Uint8Array): { type?: unknown; grounding?: unknown } {
  if (data.length > MAX_CONTROL_BYTES) {
    throw new HearFrameError(
      'invalid_request',
      `A control frame can have at most ${MAX_CONTROL_BYTES} bytes.`,
      {
        fatal: true,
      },
    );
  }
  try {
    const value: unknown = JSON.parse(text.decode(data));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {}
  throw new HearFrameError('invalid_request', 'A text frame must contain a JSON object.', { fatal: true });
}

const span = {
  utterance_id: Type.String(),
  text: Type.String(),
  start: Type.Number({ description: 'Seconds since the start of the stream.' }),
  end: Type.Number(),
};
const reason = Type.Enum(['silence', 'commit', 'max_utterance', 'close']);
export const WordShape = Type.Object({ word: Type.String(), start: Type.Number(), end: Type.Number() });

export const PartialFrame = Type.Object({ type: Type.Literal('partial'), ...span });
export const PartialStableFrame = Type.Object({ type: Type.Literal('partial_stable'), ...span });
export const SpeechFinalFrame = Type.Object({
  type: Type.Literal('speech_final'),
  ...span,
  endpoint_reason: reason,
});
export const FinalFrame = Type.Object({
  type: Type.Literal('final'),
  ...span,
  words: Type.Array(WordShape),
  endpoint_reason: reason,
});
export const UsageFrame = Type.Object({
  type: Type.Literal('usage'),
  audio_seconds: Type.Number(),
  billed_seconds: Type.Number(),
});
export const ErrorFrame = Type.Object({
  type: Type.Literal('error'),
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    code: Type.String(),
    param: Type.Union([Type.String(), Type.Null()]),
    node: Type.Optional(
      Type.String({ description: 'For the code `capacity`: the address of another node that has capacity.' }),
    ),
  }),
});

export type ServerFrame =
  | Static<typeof PartialFrame>
  | Static<typeof PartialStableFrame>
  | Static<typeof SpeechFinalFrame>
  | Static<typeof FinalFrame>
  | Static<typeof UsageFrame>
  | Static<typeof ErrorFrame>;
