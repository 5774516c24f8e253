/**
 * Omni's binary frames start with a tag byte, followed by PCM16 audio (0x01), a transcript (0x02) or control JSON
 * (0x03).
 */

export const AUDIO_TAG = 0x01;
export const TRANSCRIPT_TAG = 0x02;
export const CONTROL_TAG = 0x03;

/** The limit fits the largest `configure`: a long persona in any script, and 32 tools. */
const MAX_CONTROL_BYTES = 262_144;
export const MAX_FRAME_BYTES = MAX_CONTROL_BYTES + 1;
/** The limit is one second of PCM16 at 24 kHz, more than a live client sends at once. */
export const MAX_AUDIO_BYTES = 48_000;

export type ClientFrame =
  | { readonly kind: 'audio'; readonly pcm: Uint8Array }
  | { readonly kind: 'control'; readonly json: unknown };

/** A `fatal` error closes the socket with 1008; otherwise the frame is dropped and reported. */
export class OmniFrameError extends Error {
  readonly fatal: boolean;
  constructor(message: string, options: { fatal: boolean }) {
    super(message);
    this.name = 'OmniFrameError';
    this.fatal = options.fatal;
  }
}

const text = new TextDecoder('utf-8', { fatal: true });

export function readClientFrame(data: Uint8Array, isBinary: boolean): ClientFrame {
  if (!isBinary)
    throw new OmniFrameError('text frames are not accepted: send control JSON as 0x03', { fatal: true });
  const tag = data[0];
  const body = data.subarray(1);
  if (tag === AUDIO_TAG) return { kind: 'audio', pcm: checkAudio(body) };
  if (tag === CONTROL_TAG) return { kind: 'control', json: parseControl(body) };
  if (tag === TRANSCRIPT_TAG)
    throw new OmniFrameError('0x02 frames come from the server only', { fatal: true });
  const seen =
    tag === undefined ? 'an empty frame' : `a frame with tag 0x${tag.toString(16).padStart(2, '0')}`;
  throw new OmniFrameError(`${seen}: the first byte must be 0x01 (audio) or 0x03 (control)`, { fatal: true });
}

function checkAudio(body: Uint8Array): Uint8Array {
  if (body.length > MAX_AUDIO_BYTES) {
    throw new OmniFrameError(`an audio frame can have at most ${MAX_AUDIO_BYTES} bytes`, { fatal: true });
  }
  if (body.length === 0 || body.length % 2 === 1) {
    throw new OmniFrameError(
      `an audio frame must contain whole 16-bit samples; ${body.length} bytes is an odd length`,
      {
        fatal: true,
      },
    );
  }
  return body;
}

function parseControl(body: Uint8Array): unknown {
  if (body.length > MAX_CONTROL_BYTES) {
    throw new OmniFrameError(`a control frame can have at most ${MAX_CONTROL_BYTES} bytes`, { fatal: false });
  }
  try {
    return JSON.parse(text.decode(body));
  } catch {
    throw new OmniFrameError('a control frame must contain UTF-8 JSON', { fatal: false });
  }
}

export function audioFrame(pcm: Uint8Array): Uint8Array {
  const frame = new Uint8Array(pcm.length + 1);
  frame[0] = AUDIO_TAG;
  frame.set(pcm, 1);
  return frame;
}

export const transcriptFrame = (message: object): Uint8Array => jsonFrame(TRANSCRIPT_TAG, message);
export const controlFrame = (message: object): Uint8Array => jsonFrame(CONTROL_TAG, message);

function jsonFrame(tag: number, message: object): Uint8Array {
  const json = Buffer.from(JSON.stringify(message), 'utf8');
  const frame = new Uint8Array(json.length + 1);
  frame[0] = tag;
  frame.set(json, 1);
  return frame;
}
